/** Media types of ordinary request bodies. */
export const JSON_MEDIA_TYPE = 'application/json';
export const YAML_MEDIA_TYPES = ['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml'] as const;

export interface MediaType {
  /** Lower case and without parameters: `application/json`. */
  readonly essence: string;
  readonly charset: string | undefined;
}

export function parseMediaType(contentType: string | undefined): MediaType | undefined {
  if (contentType === undefined) return undefined;
  const [essence = '', ...parameters] = contentType.split(';').map((part) => part.trim());
  const charset = parameters.find((parameter) => /^charset=/i.test(parameter));
  return {
    essence: essence.toLowerCase(),
    charset: charset?.slice('charset='.length).replaceAll('"', '').toLowerCase(),
  };
}
