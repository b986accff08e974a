/**
 * What krew refuses in a manifest.
 *
 * Source: sigs.k8s.io/krew v0.5.0, internal/index/validation/validate.go, `ValidatePlugin`; internal/installation/semver/version.go.
 */
export function krewFaults(manifest: unknown): readonly string[] {
  const { apiVersion, kind, metadata, spec } = manifest as KrewManifest;
  const { version, shortDescription, platforms } = spec;
  return [
    ...(apiVersion === 'krew.googlecontainertools.github.com/v1alpha2' ? [] : ['apiVersion']),
    ...(kind === 'Plugin' ? [] : ['kind']),
    ...(/^[\w-]+$/.test(metadata.name) && !/^(con|prn|aux|nul|com[1-9]|lpt[1-9])$/i.test(metadata.name)
      ? []
      : ['name']),
    ...(shortDescription !== '' && !/[\r\n]/.test(shortDescription) ? [] : ['shortDescription']),
    ...(/^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[\w.-]+)?(\+[\w.-]+)?$/.test(version) ? [] : ['version']),
    ...(platforms.length > 0 ? [] : ['platforms']),
    ...platforms.flatMap((platform, index) => platformFaults(platform).map((fault) => `platforms[${index}].${fault}`)),
  ];
}

function platformFaults({ uri, sha256, bin, selector, files }: KrewPlatform): readonly string[] {
  const keys = Object.keys(selector?.matchLabels ?? {});
  return [
    ...(uri ? [] : ['uri']),
    ...(/^[a-f0-9]{64}$/.test(sha256) ? [] : ['sha256']),
    ...(bin ? [] : ['bin']),
    ...(files === undefined ? [] : ['files']),
    ...(keys.length > 0 && keys.every((key) => key === 'os' || key === 'arch') ? [] : ['selector']),
  ];
}

interface KrewManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly version: string;
    readonly shortDescription: string;
    readonly platforms: readonly KrewPlatform[];
  };
}

export interface KrewPlatform {
  readonly uri: string;
  readonly sha256: string;
  readonly bin: string;
  readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  readonly files?: unknown;
}

/**
 * What krew refuses in an archive: it unpacks regular files and folders with paths below its own folder.
 *
 * Source: sigs.k8s.io/krew v0.5.0, internal/download/downloader.go, `extractTARGZ`.
 *
 * @param archive unpacked
 */
export function archiveFiles(
  archive: Buffer,
): ReadonlyMap<string, { readonly mode: number; readonly content: Buffer }> {
  const files = new Map<string, { readonly mode: number; readonly content: Buffer }>();
  const textAt = (at: number, length: number): string =>
    archive.toString('latin1', at, at + length).replace(/\0.*$/s, '');
  for (let at = 0; archive[at] !== 0;) {
    const [name, size] = [textAt(at, 100), parseInt(textAt(at + 124, 12), 8)];
    const sum = parseInt(textAt(at + 148, 8), 8);
    const header = Buffer.from(archive.subarray(at, at + 512)).fill(' ', 148, 156);
    if (header.reduce((total, byte) => total + byte, 0) !== sum) throw new Error(`wrong checksum of ${name}`);
    if (textAt(at + 156, 1) !== '0' || name.includes('..') || /^[/\\]/.test(name))
      throw new Error(`${name} is refused`);
    files.set(name, { mode: parseInt(textAt(at + 100, 8), 8), content: archive.subarray(at + 512, at + 512 + size) });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}
