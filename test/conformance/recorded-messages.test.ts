import { DEFAULT_RULES } from '../../src/core/kubernetes/kubernetes-rules.js';
import { gatesOf } from '../../src/core/kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClusterState } from '../../src/core/cluster/cluster-state.js';
import { defaultPod } from '../../src/core/kubernetes/defaults.js';
import type { KubernetesObject } from '../../src/core/kubernetes/objects/meta.js';
import type { Node } from '../../src/core/kubernetes/objects/node.js';
import type { Pod } from '../../src/core/kubernetes/objects/pod.js';
import type { Toleration } from '../../src/core/kubernetes/objects/taints.js';
import { evaluatePlacement } from '../../src/core/placement/evaluate-placement.js';

/** What a real scheduler wrote, for the scenarios that need nothing but the filters that are built. */
interface Recorded {
  readonly name: string;
  readonly profile: string;
  readonly input: {
    readonly pending: readonly Pod[];
    readonly bound?: readonly (Pod & { readonly 'x-phase'?: string })[];
    readonly steps?: readonly unknown[];
  };
  readonly observed: {
    readonly nodesStored: readonly Node[];
    readonly decisions: readonly {
      readonly pod: string;
      /** Absent if the pod was not stored. */
      readonly nodeName?: string | null;
      readonly nominatedNodeName: string | null;
      readonly podScheduled: { readonly message?: string } | null;
      readonly storedTolerations?: readonly Toleration[];
      readonly stored_priority?: number;
      readonly stored_preemptionPolicy?: string;
      readonly stored_overhead?: Readonly<Record<string, string>>;
    }[];
    readonly deletedPods: readonly string[];
  };
}

const FOLDER = join(import.meta.dirname, 'recorded', 'scheduling');

/** Decided by another scheduler, or by nobody: the pods have a node from the start. */
const NOT_DECIDED = /^(schedulername|nodename-set-directly)/;

const scenarios = readdirSync(FOLDER)
  .map((file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Recorded)
  .filter(({ name }) => !NOT_DECIDED.test(name));

const stored = (pod: Pod, more: Partial<Pod['spec']> = {}): Pod => {
  const defaulted = defaultPod(pod);
  return { ...defaulted, kind: 'Pod', spec: { ...defaulted.spec, ...more } };
};

/** Everything before preemption's own tail, which is compared only where it is evaluated. */
const head = (message: string): string => message.replace(/ no new claims to deallocate, preemption: .*$/, '');

describe('the default filters produce the messages of a recorded scheduler v1.36.2', () => {
  it.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('%s', (_, { input, profile, observed }) => {
    const gates = gatesOf(DEFAULT_RULES, profile !== 'default');
    const bound = (input.bound ?? []).map((pod) => {
      const phase = pod['x-phase'];
      return { ...stored(pod), ...(phase === undefined ? {} : { status: { phase } }) };
    });
    const nodes: readonly KubernetesObject[] = observed.nodesStored;
    let state = ClusterState.build([...nodes, ...bound], ['Node', 'Pod', 'Namespace', 'DeviceClass']);
    for (const decision of observed.decisions) {
      const manifest = input.pending.find(({ metadata }) => metadata.name === decision.pod)!;
      const { storedTolerations, stored_priority, stored_preemptionPolicy, stored_overhead } = decision;
      const pod = stored(manifest, {
        ...(storedTolerations === undefined ? {} : { tolerations: storedTolerations }),
        ...(stored_priority === undefined ? {} : { priority: stored_priority }),
        ...(stored_preemptionPolicy === undefined ? {} : { preemptionPolicy: stored_preemptionPolicy }),
        ...(stored_overhead === undefined ? {} : { overhead: stored_overhead }),
      });
      const placement = evaluatePlacement(state, { pod, gates });
      if (decision.nodeName === undefined) continue;
      if (decision.nodeName !== null) {
        if (placement.counts.feasible > 0) {
          expect(placement.verdict(state.nodes.indexOf(decision.nodeName))).toBe('feasible');
        } else {
          // It had to preempt first.
          expect(observed.deletedPods).not.toEqual([]);
          expect(placement.message().preemption).toBe('not-evaluated');
        }
        state = state.apply({ upserts: [{ ...pod, spec: { ...pod.spec, nodeName: decision.nodeName } } as Pod] });
        continue;
      }
      const message = decision.podScheduled?.message;
      if (message === undefined) continue;
      const ours = placement.message();
      if (ours.preemption === 'not-evaluated') expect(ours.text).toBe(head(message));
      else expect(ours.text).toBe(message);
    }
  });
});
