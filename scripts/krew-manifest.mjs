/** The manifest of the plugin for krew: https://krew.sigs.k8s.io/docs/developer-guide/plugin-manifest. */
import { stringify } from 'yaml';

/** The plugin is called as `kubectl placement`. */
const NAME = 'placement';
const EXECUTABLE = 'kubectl-placement';

export const executableFor = (os) => (os === 'windows' ? `${EXECUTABLE}.exe` : EXECUTABLE);

/** Of the archive for a platform, as krew names operating systems and processors: those of Go. */
export const archiveFor = (version, os, arch) => `${EXECUTABLE}_v${version}_${os}_${arch}.tar.gz`;

/** @param archives with `os`, `arch`, `uri` and `sha256` */
export const krewManifest = (version, archives) =>
  stringify(
    {
      apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
      kind: 'Plugin',
      metadata: { name: NAME },
      spec: {
        version: `v${version}`,
        shortDescription: 'Say where pods can run, and why not elsewhere',
        description:
          'Answers questions about scheduling exactly as Kubernetes would: why a pod is pending, whether manifests may be deployed and will run, ' +
          'what a taint or a drain does, and how many replicas fit. It needs nothing in the cluster: it reads it through kubectl.\n',
        caveats:
          'To complete its arguments in kubectl, put kubectl_complete-placement, which is in the archive, into a folder of your PATH.\n',
        platforms: archives.map(({ os, arch, uri, sha256 }) => ({
          selector: { matchLabels: { os, arch } },
          uri,
          sha256,
          bin: executableFor(os),
        })),
      },
    },
    { lineWidth: 120 },
  );
