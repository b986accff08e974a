/** Who gives a label of a node its value, so that another value does not last, or says what is not so. */
export interface LabelOwner {
  readonly setBy: string;
  readonly when: string;
  /** What brings another value. */
  readonly changedBy: string;
}

const KUBELET = 'the kubelet of the node';
const AT_START = 'it registers the node, and again at every start';

const machine = (changedBy: string): LabelOwner => ({ setBy: KUBELET, when: AT_START, changedBy });

const OS_AND_ARCH = machine('only another machine: the label says what the node runs on');
const HOSTNAME = machine('only another host name of the machine (or --hostname-override of the kubelet)');
const CLOUD: LabelOwner = {
  setBy: 'the kubelet of the node, and the node controller of the cloud-controller-manager',
  when: 'the node is registered, and later from what the cloud provider says about the machine',
  changedBy: 'only another machine: the label says where the machine is, and of which type',
};

/**
 * The labels that a kubelet sets and, at each start, sets back to what it finds (`updateDefaultLabels`); those of zone, region and instance
 * type come from the cloud provider. Their values are facts about the machine, not settings.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/kubelet/kubelet_node_status.go; k8s.io/cloud-provider v0.36.2, controllers/node.
 */
const OWNERS: ReadonlyMap<string, LabelOwner> = new Map([
  ['kubernetes.io/os', OS_AND_ARCH],
  ['kubernetes.io/arch', OS_AND_ARCH],
  ['beta.kubernetes.io/os', OS_AND_ARCH],
  ['beta.kubernetes.io/arch', OS_AND_ARCH],
  ['node.kubernetes.io/windows-build', OS_AND_ARCH],
  ['kubernetes.io/hostname', HOSTNAME],
  ['topology.kubernetes.io/zone', CLOUD],
  ['topology.kubernetes.io/region', CLOUD],
  ['failure-domain.beta.kubernetes.io/zone', CLOUD],
  ['failure-domain.beta.kubernetes.io/region', CLOUD],
  ['node.kubernetes.io/instance-type', CLOUD],
  ['beta.kubernetes.io/instance-type', CLOUD],
]);

/** The owner of a node's label; undefined for a label that an operator may set. */
export const ownerOfNodeLabel = (key: string): LabelOwner | undefined => OWNERS.get(key);
