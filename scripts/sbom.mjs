/**
 * Prints what the service consists of as CycloneDX 1.6: the packages of the lock file that are not for development alone. `npm sbom` leaves
 * out packages that a workspace needs for development and the service to run.
 */
import { readFile } from 'node:fs/promises';

const { name, version, packages } = JSON.parse(await readFile('package-lock.json', 'utf8'));

const purl = (of, at) => `pkg:npm/${of.replace('@', '%40')}@${at}`;

/** `sha512-...` as the lock file has it. */
function hashesOf(integrity) {
  return (integrity ?? '')
    .split(' ')
    .filter((text) => text.startsWith('sha512-'))
    .map((text) => ({ alg: 'SHA-512', content: Buffer.from(text.slice('sha512-'.length), 'base64').toString('hex') }));
}

const components = new Map();
for (const [path, entry] of Object.entries(packages)) {
  if (!path.includes('node_modules/') || entry.link || entry.dev || entry.extraneous) continue;
  const of = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const reference = purl(of, entry.version);
  components.set(reference, {
    type: 'library',
    'bom-ref': reference,
    name: of,
    version: entry.version,
    // Packages for other processors and systems are in the lock file, but not installed.
    scope: entry.optional ? 'optional' : 'required',
    ...(typeof entry.license === 'string' && { licenses: [{ expression: entry.license }] }),
    hashes: hashesOf(entry.integrity),
    purl: reference,
  });
}

const bill = {
  $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: {
    component: { type: 'application', 'bom-ref': purl(name, version), name, version, purl: purl(name, version) },
  },
  components: [...components.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1)),
};
process.stdout.write(`${JSON.stringify(bill, null, 2)}\n`);
