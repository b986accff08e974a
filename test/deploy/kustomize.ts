import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments, stringify } from 'yaml';
import type { JsonObject } from '../../src/core/json/json-value.js';

const run = promisify(execFile);

/** The kubectl to use: that of a folder of control plane binaries, or that of the machine; undefined if there is none. */
export const KUBECTL: string | undefined = findKubectl();

function findKubectl(): string | undefined {
  const beside = join(process.env['KUBEBUILDER_ASSETS'] ?? '', 'kubectl');
  if (process.env['KUBEBUILDER_ASSETS'] && existsSync(beside)) return beside;
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' });
    return 'kubectl';
  } catch {
    process.stderr.write('skipped: rendering with kustomize; there is no kubectl\n');
    return undefined;
  }
}

/** What is optional in the overlays, all of it. */
const COMPONENTS = ['write-taints', 'monitoring', 'admission-webhooks'];

/** A copy of `deploy/` in which passwords are made, and an overlay has every component. */
export class Manifests {
  private constructor(private readonly folder: string) {}

  static async copy(): Promise<Manifests> {
    const folder = await mkdtemp(join(tmpdir(), 'kube-placement-deploy-'));
    await cp('deploy', folder, { recursive: true });
    await writeFile(join(folder, 'kustomize/overlays/trial/passwords.env'), 'owner=o\nservice=s\n');
    const whole = join(folder, 'kustomize/overlays/whole');
    await mkdir(whole);
    await writeFile(
      join(whole, 'kustomization.yaml'),
      stringify({
        apiVersion: 'kustomize.config.k8s.io/v1beta1',
        kind: 'Kustomization',
        resources: ['../external'],
        components: COMPONENTS.map((name) => `../../components/${name}`),
      }),
    );
    return new Manifests(folder);
  }

  /** The objects of a folder below `deploy/`, as YAML; or of a file with what helm made of the chart, and of the namespace. */
  async render(path: string): Promise<string> {
    if (path.startsWith('helm/')) {
      const paths = ['kustomize/base/namespace.yaml', `${path}.yaml`];
      const texts = await Promise.all(paths.map((one) => readFile(join(this.folder, one), 'utf8')));
      return texts.join('---\n');
    }
    const { stdout } = await run(KUBECTL!, ['kustomize', join(this.folder, path)], { maxBuffer: 16 * 1024 * 1024 });
    return stdout;
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}

export const OVERLAYS = ['trial', 'cloudnative-pg', 'external', 'whole'].map((name) => `kustomize/overlays/${name}`);

/** What helm made of the examples of the chart. */
export const RENDERED_CHARTS = ['cloudnative-pg', 'external', 'whole'].map((name) => `helm/rendered/${name}`);

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Record<string, string> };
  readonly spec: JsonObject;
}

export const objectsOf = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map((document) => {
      if (document.errors.length > 0) throw document.errors[0]!;
      return document.toJS() as Manifest | null;
    })
    .filter((object): object is Manifest => object !== null);

export interface PodTemplate {
  readonly metadata: { readonly labels: Record<string, string> };
  readonly spec: {
    readonly serviceAccountName: string;
    readonly automountServiceAccountToken: boolean;
    readonly volumes?: readonly object[];
    readonly containers: readonly {
      readonly name: string;
      readonly args?: readonly string[];
      readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[];
      readonly securityContext: JsonObject;
      readonly resources: { readonly requests: Record<string, string>; readonly limits: Record<string, string> };
    }[];
  };
}

/** The pod templates of workloads, by the name of their workload. */
export function podTemplatesOf(
  objects: readonly Manifest[],
): { readonly of: Manifest; readonly template: PodTemplate }[] {
  return objects.flatMap((object) => {
    const template = (object.spec as JsonObject | undefined)?.['template'] as PodTemplate | undefined;
    return template === undefined ? [] : [{ of: object, template }];
  });
}
