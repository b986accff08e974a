import { admitPod } from '../admission/admission-chain.js';
import { admissionIn } from '../admission/admission-in.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import { daemonPod, nodeShouldRunDaemonPod } from '../kubernetes/daemon-pod.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { DaemonSet } from '../kubernetes/objects/workloads.js';
import { gatesOf } from '../kubernetes/toleration.js';

/** The pods that the DaemonSets of a state create on a new node, as admission makes them. */
export class DaemonPods {
  private readonly made = new Map<DaemonSet, Pod>();

  constructor(
    private readonly state: ClusterState,
    private readonly gates = gatesOf(state.rules),
  ) {}

  get sets(): readonly DaemonSet[] {
    return this.state.objects('DaemonSet') as readonly DaemonSet[];
  }

  on(node: Node): readonly Pod[] {
    return this.sets.filter((set) => this.runsOn(set, node)).map((set) => this.podOn(set, node));
  }

  runsOn(set: DaemonSet, node: Node): boolean {
    return nodeShouldRunDaemonPod(set, node, this.gates).shouldRun;
  }

  podOn(set: DaemonSet, { metadata: { name: nodeName } }: Node): Pod {
    const pod = this.podOf(set);
    const name = `${set.metadata.name}-on-${nodeName}`;
    return { ...pod, metadata: { ...pod.metadata, name }, spec: { ...pod.spec, nodeName } };
  }

  /** For any node. */
  podOf(set: DaemonSet): Pod {
    let pod = this.made.get(set);
    if (pod !== undefined) return pod;
    const { namespace = 'default' } = set.metadata;
    pod = daemonPod(set, '');
    const admitted = admitPod(
      { operation: 'create', pod, known: 'kept', workload: set, allowMissingRuntimeClass: true, skipAdmission: false },
      admissionIn(this.state, namespace, { gates: this.gates }),
    );
    // A pod that is refused is not created, but one day it may be.
    if (admitted.outcome === 'admitted') pod = admitted.pod;
    this.made.set(set, pod);
    return pod;
  }
}
