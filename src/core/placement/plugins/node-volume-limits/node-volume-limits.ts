import type { ClusterState } from '../../../cluster/cluster-state.js';
import type { Pod } from '../../../kubernetes/objects/pod.js';
import type { CSINode } from '../../../kubernetes/objects/storage.js';
import { lacking, missingKinds } from '../../kinds-not-loaded.js';
import {
  ERROR,
  SUCCESS,
  UNRESOLVABLE,
  UNSCHEDULABLE,
  type FilterPlugin,
  type PlacementInput,
  type StatusCode,
} from '../../plugin.js';
import { podField, type FieldReference, type CommonReason, type Reason, type VolumeLimitFacts } from '../../reason.js';
import { isMigratable } from '../../volumes/in-tree-volume.js';
import {
  attachedTo,
  driverVolumes,
  mayAttach,
  type DriverVolumes,
  type PodOfVolumes,
  type VolumeFault,
} from './attached-volumes.js';

export const NAME = 'NodeVolumeLimits';

const EXCEEDED: CommonReason<'VolumeLimitReached'> = {
  code: 'VolumeLimitReached',
  message: 'node(s) exceed max volume count',
};

/** What one node answers. */
interface Answer {
  readonly fault?: VolumeFault;
  readonly exceeded?: VolumeLimitFacts['volumeLimit'];
}

const FITS: Answer = {};

/**
 * A driver says on each node how many of its volumes it can attach there: those of the node's pods and those that are attached
 * otherwise, each once, and the pod's own must not be more.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/nodevolumelimits/csi.go; the gate VolumeLimitScaling is off.
 */
export const nodeVolumeLimits: FilterPlugin = {
  name: NAME,
  preFilter: (input) => {
    const { state, pod } = input;
    const fields = (pod.spec.volumes ?? []).flatMap((volume, index) =>
      volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined || isMigratable(volume)
        ? [podField('spec', 'volumes', index)]
        : [],
    );
    if (fields.length === 0) return { outcome: 'Skip' };
    if (missingKinds(state, NEEDS).length > 0 && mayAttach(state, podOfVolumes(pod))) {
      const why = 'the pod uses a volume that counts toward the attach limit of a node';
      return lacking(state, { plugin: NAME, why, fields, needs: NEEDS });
    }
    const limits = new Limits(input, fields);
    return {
      outcome: 'Filter',
      filter: {
        status: (node) => limits.status(node),
        commonReasonKey: (node) => limits.key(node),
        commonReasons: (key) => [limits.commonReason(key)],
        explain: (node) => limits.explain(node),
        preFilterExtensions: 'reevaluate',
      },
    };
  },
};

const NEEDS = ['PersistentVolumeClaim', 'PersistentVolume', 'StorageClass', 'CSINode', 'VolumeAttachment'] as const;

function podOfVolumes({ metadata: { name, namespace = '', uid = '' }, spec }: Pod): PodOfVolumes {
  return { name, namespace, uid, spec };
}

class Limits {
  /** What the pod would attach to a node with a CSINode, and to one without. */
  private readonly wanted = new Map<boolean, DriverVolumes | VolumeFault>();
  private readonly answers = new Map<number, Answer>();
  private readonly faults: VolumeFault[] = [];

  constructor(
    private readonly input: PlacementInput,
    private readonly fields: readonly FieldReference[],
  ) {}

  status(node: number): StatusCode {
    const { fault, exceeded } = this.answer(node);
    if (fault !== undefined) return fault.isNotFound ? UNRESOLVABLE : ERROR;
    return exceeded === undefined ? SUCCESS : UNSCHEDULABLE;
  }

  /** 0: too many volumes; else a fault, by its place among those found. */
  key(node: number): number {
    const { fault } = this.answer(node);
    if (fault === undefined) return 0;
    const known = this.faults.findIndex(({ message }) => message === fault.message);
    return known >= 0 ? known + 1 : this.faults.push(fault);
  }

  commonReason(key: number): CommonReason {
    return key === 0 ? EXCEEDED : { code: 'ClaimNotUsable', message: this.faults[key - 1]!.message };
  }

  explain(node: number): readonly Reason[] {
    const { fault, exceeded } = this.answer(node);
    if (fault !== undefined) {
      return [
        {
          plugin: NAME,
          code: 'ClaimNotUsable',
          status: fault.isNotFound ? 'UnschedulableAndUnresolvable' : 'Error',
          message: fault.message,
          facts: fault.claim === undefined ? {} : { claim: fault.claim },
          fields: this.fields,
        },
      ];
    }
    if (exceeded === undefined) return [];
    return [
      { plugin: NAME, ...EXCEEDED, status: 'Unschedulable', facts: { volumeLimit: exceeded }, fields: this.fields },
    ];
  }

  private answer(node: number): Answer {
    let answer = this.answers.get(node);
    if (answer === undefined) {
      const { state, nominated } = this.input;
      const csiNode = state.find('CSINode', undefined, state.nodes.name(node)) as CSINode | undefined;
      const extra = nominated.filter(({ nodeIndex }) => nodeIndex === node).map(({ pod }) => pod);
      // A node must do both with the pods that are nominated to it, and without them.
      answer = extra.length === 0 ? FITS : this.judge(state, node, csiNode, extra);
      if (answer === FITS) answer = this.judge(state, node, csiNode, []);
      this.answers.set(node, answer);
    }
    return answer;
  }

  private judge(state: ClusterState, node: number, csiNode: CSINode | undefined, extra: readonly number[]): Answer {
    const wanted = this.volumes(csiNode !== undefined);
    if (!(wanted instanceof Map)) return { fault: wanted };
    if (wanted.size === 0 || csiNode === undefined) return FITS;
    const limits = new Map<string, number>();
    for (const { name, allocatable } of csiNode.spec?.drivers ?? []) {
      if (allocatable?.count !== undefined) limits.set(name, allocatable.count);
    }
    if (limits.size === 0) return FITS;
    const held = attachedTo(state, node, extra);
    if ('message' in held) return { fault: held };
    const added = new Map<string, number>();
    for (const [id, driver] of wanted) if (!held.byPods.has(id)) added.set(driver, (added.get(driver) ?? 0) + 1);
    for (const [driver, count] of added) {
      const limit = limits.get(driver);
      const attached = held.perDriver.get(driver) ?? 0;
      if (limit !== undefined && attached + count > limit) {
        return { exceeded: { driver, attached, added: count, limit } };
      }
    }
    return FITS;
  }

  private volumes(hasCsiNode: boolean): DriverVolumes | VolumeFault {
    let volumes = this.wanted.get(hasCsiNode);
    if (volumes === undefined) {
      const { state, pod } = this.input;
      volumes = driverVolumes(state, podOfVolumes(pod), { hasCsiNode, mustExist: true });
      this.wanted.set(hasCsiNode, volumes);
    }
    return volumes;
  }
}
