const ARCH = ['kubernetes.io/arch', 'beta.kubernetes.io/arch'];
const OS = ['kubernetes.io/os', 'beta.kubernetes.io/os'];
const WINDOWS_BUILD = 'node.kubernetes.io/windows-build';

/** A label that a pod asked for, and the node's value; null without the label. */
interface DifferingLabel {
  readonly key: string;
  readonly actual: string | null;
}

/**
 * What the images of a pod have to be to run on a node, where the pod asked for nodes of another kind; undefined if nothing. A scheduler
 * does not know for what an image is built.
 */
export function imageCondition(labels: readonly DifferingLabel[]): string | undefined {
  const valueOf = (keys: readonly string[]): string | null | undefined =>
    labels.find(({ key }) => keys.includes(key))?.actual;
  const [arch, os, build] = [valueOf(ARCH), valueOf(OS), valueOf([WINDOWS_BUILD])];
  if (arch === undefined && os === undefined && build === undefined) return undefined;
  const unknown = [
    ...(os === null ? ['operating system'] : []),
    ...(arch === null ? ['architecture'] : []),
    ...(build === null ? ['Windows build'] : []),
  ];
  const known = [os, arch, build].filter((value) => typeof value === 'string').join('/');
  const wanted = [
    ...(known === '' ? [] : [known]),
    ...(unknown.length === 0 ? [] : [`the ${unknown.join(' and ')} of the node`]),
  ];
  return `needs images built for ${wanted.join(' and ')}`;
}
