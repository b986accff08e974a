/** `invalid-request`, `labelSelector` and `If-Match` as names of components: `InvalidRequest`, `LabelSelector`, `IfMatch`. */
export function pascalCase(text: string): string {
  return text.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
