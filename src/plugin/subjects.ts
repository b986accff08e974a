import { defined } from '../core/collections/defined.js';
import { givenManifests } from '../app/manifests/given-manifests.js';
import type { placementInput } from '../contract/placements/placement-request.js';
import type { Request } from '../contract/schema.js';
import type { JsonObject } from '../core/json/json-value.js';
import { controllerOf } from '../core/kubernetes/controller-of.js';
import { KINDS } from '../core/kubernetes/kinds.js';
import type { ManifestObject } from '../core/kubernetes/manifests/manifest-object.js';
import { WORKLOAD_KINDS } from '../core/kubernetes/pod-template.js';
import { readManifestText } from '../ingest/read-yaml-document.js';
import { CommandFailed } from './command-failed.js';
import { manifestText } from './manifests.js';
import type { WantsWhole } from './read-object.js';
import { ServiceError } from '../app/errors/service-error.js';

/** A pod to ask about. */
export interface Subject {
  /** `pod/web-1`. */
  readonly name: string;
  /** Members of the question that say which pod it is. */
  readonly members: Pick<Request<typeof placementInput>, 'pod' | 'podRef' | 'workloadRef'>;
}

type WorkloadKind = (typeof WORKLOAD_KINDS)[number];

const WITH_PODS: readonly string[] = ['Pod', ...WORKLOAD_KINDS];

/** Source: k8s.io/kubernetes v1.36.2, pkg/registry/{core,apps,batch}, `ShortNames`. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  po: 'Pod',
  deploy: 'Deployment',
  sts: 'StatefulSet',
  ds: 'DaemonSet',
  rs: 'ReplicaSet',
  rc: 'ReplicationController',
  cj: 'CronJob',
};

/** The only pod or workload that is asked about, by its name or in manifests. @throws {CommandFailed} */
export async function subjectOf(
  named: string | undefined,
  files: readonly string[] | undefined,
  namespace: string,
): Promise<Subject> {
  if (named !== undefined && files !== undefined) throw new CommandFailed('give either a pod or -f, not both');
  if (named !== undefined) return namedSubject(named, namespace);
  if (files === undefined) throw new CommandFailed('name a pod, such as pod/web-1, or a file: -f FILE');
  const subjects = await subjectsIn(await manifestText(files), namespace);
  const [subject] = subjects;
  if (subject === undefined) throw new CommandFailed(`the manifests have none of ${WITH_PODS.join(', ')}`);
  if (subjects.length > 1) {
    const names = subjects.map(({ name }) => name).join(', ');
    throw new CommandFailed(
      `the manifests have several: ${names}. Give one, or ask about all: kubectl placement can -f`,
    );
  }
  return subject;
}

function namedSubject(named: string, namespace: string): Subject {
  const [first = '', second, ...more] = named.split('/');
  const name = second ?? first;
  if (name === '' || more.length > 0) throw new CommandFailed(`${JSON.stringify(named)} is not KIND/NAME`);
  const kind = second === undefined ? 'Pod' : kindNamed(first);
  if (kind === 'Pod') return { name: `pod/${name}`, members: { podRef: { namespace, name } } };
  return {
    name: `${kind.toLowerCase()}/${name}`,
    members: { workloadRef: { kind: kind as WorkloadKind, namespace, name } },
  };
}

/** @param given as kubectl takes it: kind, plural or short name, perhaps with the group */
function kindNamed(given: string): string {
  const word = given.toLowerCase().split('.')[0]!;
  const found =
    SHORT_NAMES[word] ??
    KINDS.find(({ kind, plural }) => WITH_PODS.includes(kind) && (plural === word || kind.toLowerCase() === word))
      ?.kind;
  if (found === undefined) {
    throw new CommandFailed(`${JSON.stringify(given)} makes no pods: use one of ${WITH_PODS.join(', ').toLowerCase()}`);
  }
  return found;
}

/** Whether manifests are of an object, or of the Deployment that made it, so that all its fields matter. */
export async function sentIn(text: string): Promise<WantsWhole> {
  const sent = new Set((await objectsIn(text)).map(({ kind, name }) => `${kind} ${name}`));
  return ({ kind, metadata }) => {
    const owner = kind === 'ReplicaSet' ? controllerOf(metadata.ownerReferences) : undefined;
    return sent.has(`${kind} ${metadata.name}`) || (owner !== undefined && sent.has(`${owner.kind} ${owner.name}`));
  };
}

async function subjectsIn(text: string, namespace: string): Promise<readonly Subject[]> {
  return (await objectsIn(text, namespace))
    .filter(({ kind }) => WITH_PODS.includes(kind))
    .map(({ kind, name, namespace: own = namespace, value }) => ({
      name: `${kind.toLowerCase()}/${name}`,
      members: { pod: { ...value, metadata: { ...(value['metadata'] as JsonObject), namespace: own } } },
    }));
}

/** @throws {CommandFailed} */
async function objectsIn(text: string, namespace?: string): Promise<readonly ManifestObject[]> {
  try {
    return givenManifests(await readManifestText(text, ''), defined({ namespace })).objects;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new CommandFailed(
      'the manifests cannot be used',
      error.details.map(({ message }) => message),
    );
  }
}
