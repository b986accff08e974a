import { sameValue } from '../../src/core/json/same-value.js';

interface PlayedRule {
  metadata: {
    name: string;
    uid?: string;
    resourceVersion?: string;
    labels?: Record<string, string>;
    managedFields?: readonly object[];
  };
  spec: { deviceSelector?: object; taint: { key: string; value?: string; effect: string; timeAdded?: string } };
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
}

type Answer = readonly [code: number, body: object];

const SERVED = 'resource.k8s.io/v1alpha3';
const RULES = `/apis/${SERVED}/devicetaintrules`;

/** Plays what an API server before v1.36 does with DeviceTaintRules, which it has in `v1alpha3` alone. */
export class PlayedRules {
  readonly all = new Map<string, PlayedRule>();
  /** The requests that changed something. */
  readonly done: string[] = [];
  private version = 9_000;

  /** The subject of a request, as the trail names it; undefined if it is for something else. */
  subjectOf(path: string): string | undefined {
    return path.startsWith(RULES) ? `devicetaintrules${path.slice(RULES.length)}` : undefined;
  }

  /** Writes as another client does. */
  change(name: string, edit: (rule: PlayedRule) => void): void {
    const copy = structuredClone(this.all.get(name)!);
    edit(copy);
    this.all.set(name, this.versioned(copy, 'kubectl-edit'));
  }

  /** @returns undefined for a request that is for something else */
  answer({ method, path, query, body }: Asked): Answer | undefined {
    if (path === '/apis') {
      return [200, { groups: [{ name: 'resource.k8s.io', versions: [{ groupVersion: SERVED }] }] }];
    }
    if (path === `/apis/${SERVED}`) return [200, { resources: [{ name: 'devicetaintrules', verbs: ['list'] }] }];
    if (!path.startsWith(RULES)) return undefined;
    const manager = query.get('fieldManager') ?? 'unknown';
    const given = body === '' ? {} : (JSON.parse(body) as object);
    const isDryRun = query.get('dryRun') === 'All' || 'dryRun' in given;
    if (method === 'POST') return this.create(given as PlayedRule, manager, isDryRun);
    const name = path.slice(RULES.length + 1);
    const rule = this.all.get(name);
    if (rule === undefined) return [404, failure(404, `devicetaintrules.resource.k8s.io "${name}" not found`)];
    if (method === 'PATCH') return this.patch(rule, given as readonly Operation[], manager, isDryRun);
    return method === 'DELETE' ? this.remove(rule, given, isDryRun) : [200, rule];
  }

  private create(rule: PlayedRule & { apiVersion?: string }, manager: string, isDryRun: boolean): Answer {
    const { name } = rule.metadata;
    if (rule.apiVersion !== SERVED) return [400, failure(400, `the API version in the data (${rule.apiVersion}) ...`)];
    if (this.all.has(name)) return [409, failure(409, `devicetaintrules.resource.k8s.io "${name}" already exists`)];
    const stored = this.versioned({ ...rule, metadata: { ...rule.metadata, uid: `uid-${name}` } }, manager);
    this.note('create', isDryRun, () => this.all.set(name, stored));
    return [201, stored];
  }

  private patch(rule: PlayedRule, operations: readonly Operation[], manager: string, isDryRun: boolean): Answer {
    const [test, ...edits] = operations;
    if (test!.value !== rule.metadata.resourceVersion) return [422, failure(422, 'the server rejected our request')];
    const copy = structuredClone(rule);
    for (const { path, value } of edits) {
      if (path === '/spec') copy.spec = value as PlayedRule['spec'];
      else copy.metadata.labels = value as Record<string, string>;
    }
    const stored = sameValue(copy, rule) ? rule : this.versioned(copy, manager);
    this.note('replace', isDryRun, () => this.all.set(rule.metadata.name, stored));
    return [200, stored];
  }

  private remove({ metadata }: PlayedRule, options: object, isDryRun: boolean): Answer {
    const { preconditions = {} } = options as { preconditions?: { uid?: string; resourceVersion?: string } };
    if (preconditions.uid !== metadata.uid || preconditions.resourceVersion !== metadata.resourceVersion) {
      return [409, failure(409, 'the ResourceVersion in the precondition does not match')];
    }
    this.note('remove', isDryRun, () => this.all.delete(metadata.name));
    return [200, { kind: 'Status', status: 'Success' }];
  }

  private note(what: string, isDryRun: boolean, store: () => unknown): void {
    if (isDryRun) return;
    store();
    this.done.push(what);
  }

  private versioned(rule: PlayedRule, manager: string): PlayedRule {
    const managedFields = [
      { manager, operation: 'Update', fieldsV1: { 'f:spec': { 'f:taint': { 'f:timeAdded': {} } } } },
    ];
    return { ...rule, metadata: { ...rule.metadata, resourceVersion: String(++this.version), managedFields } };
  }
}

interface Operation {
  readonly path: string;
  readonly value: unknown;
}

const failure = (code: number, message: string): object => ({ kind: 'Status', status: 'Failure', message, code });
