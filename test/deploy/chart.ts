import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const CHART = 'deploy/helm/kube-placement';
const EXAMPLES = 'deploy/helm/examples';
export const RENDERED = 'deploy/helm/rendered';
export const HASH_FILE = `${RENDERED}/sources.sha256`;

/** Files that the chart must contain, and that are those of the kustomize manifests. */
export const SHARED_FILES: readonly { readonly from: string; readonly to: string }[] = [
  'reader-role/cluster-role.yaml',
  'components/write-taints/admission-policy.yaml',
  'components/monitoring/prometheus-rule.yaml',
  'components/monitoring/kube-placement.json',
].map((path) => ({ from: `deploy/kustomize/${path}`, to: `${CHART}/files/${path.split('/').pop()!}` }));

/** The helm to use; undefined if there is none. */
export const HELM: string | undefined = findHelm();

function findHelm(): string | undefined {
  const helm = process.env['HELM_PATH'] ?? 'helm';
  try {
    execFileSync(helm, ['version'], { stdio: 'ignore' });
    return helm;
  } catch {
    return undefined;
  }
}

/** The names of the values files of which a rendered output is committed. */
export async function exampleNames(): Promise<string[]> {
  return (await readdir(EXAMPLES)).map((name) => name.replace(/\.yaml$/, '')).sort();
}

/** What helm makes of an example, or of other values. */
export async function renderChart(name: string, more: readonly string[] = []): Promise<string> {
  const args = ['template', 'kube-placement', CHART, '--namespace', 'kube-placement'];
  const { stdout } = await run(HELM!, [...args, '--values', `${EXAMPLES}/${name}.yaml`, ...more], {
    maxBuffer: 16 * 1024 * 1024,
  });
  return stdout;
}

export async function lintChart(name: string): Promise<string> {
  return (await run(HELM!, ['lint', CHART, '--strict', '--values', `${EXAMPLES}/${name}.yaml`])).stdout;
}

/** Tells whether a rendered output is of these sources. */
export async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of [CHART, EXAMPLES]) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    for (const path of paths.sort())
      hash
        .update(`${path}\0`)
        .update(await readFile(path))
        .update('\0');
  }
  return hash.digest('hex');
}
