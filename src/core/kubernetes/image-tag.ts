const COMPONENT = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const DOMAIN_COMPONENT = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const DOMAIN = `(?:${DOMAIN_COMPONENT}(?:\\.${DOMAIN_COMPONENT})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const DIGEST = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}';
const reference = new RegExp(
  `^((?:${DOMAIN}/)?${COMPONENT}(?:/${COMPONENT})*)(?::([\\w][\\w.-]{0,127}))?(?:@(${DIGEST}))?$`,
);

/** The lengths of known digests in hexadecimal digits. */
const DIGEST_LENGTHS: ReadonlyMap<string, number> = new Map([
  ['sha256', 64],
  ['sha384', 96],
  ['sha512', 128],
]);
const MAX_NAME_LENGTH = 255;

/**
 * The tag of an image: `latest` if it has neither tag nor digest; empty if the name is not a valid image reference
 * (k8s.io/kubernetes v1.36.2, pkg/util/parsers, `ParseImageName`; github.com/distribution/reference).
 *
 * @example `nginx` has `latest`, `nginx:1.29` has `1.29`; `NGINX` and a digest without a tag have none
 */
export function imageTag(image: string): string {
  // Only a domain may have upper-case letters, and 64 hexadecimal digits are not a valid name.
  if (/^[a-f0-9]{64}$/.test(image)) return '';
  const slash = image.indexOf('/');
  const first = slash < 0 ? '' : image.slice(0, slash);
  const isDomain = /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase();
  const rest = isDomain ? image.slice(slash + 1) : image;
  const domain = !isDomain || first === 'index.docker.io' ? 'docker.io' : first;
  const path = domain === 'docker.io' && !rest.includes('/') ? `library/${rest}` : rest;
  const found = reference.exec(`${domain}/${path}`);
  if (found === null) return '';
  const [, name = '', tag = '', digest = ''] = found;
  if (name.length > MAX_NAME_LENGTH || (digest !== '' && !isDigest(digest))) return '';
  return tag === '' && digest === '' ? 'latest' : tag;
}

function isDigest(digest: string): boolean {
  const [algorithm = '', hex = ''] = digest.split(':');
  return DIGEST_LENGTHS.get(algorithm) === hex.length && /^[a-f0-9]+$/.test(hex);
}
