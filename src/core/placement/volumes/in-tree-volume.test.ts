import { describe, expect, it } from '@jest/globals';
import type { CSINode, PersistentVolume } from '../../kubernetes/objects/storage.js';
import { driverVolume, inlineDriverVolume, labelTest, volumeAffinity } from './in-tree-volume.js';

const ZONE = 'topology.kubernetes.io/zone';
const BETA_ZONE = 'failure-domain.beta.kubernetes.io/zone';

const volume = (
  spec: NonNullable<PersistentVolume['spec']>,
  labels: Readonly<Record<string, string>> = {},
): PersistentVolume => ({ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'v', labels }, spec });
const csiNode = (migrated?: string): CSINode => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSINode',
  metadata: {
    name: 'n',
    ...(migrated !== undefined && { annotations: { 'storage.alpha.kubernetes.io/migrated-plugins': migrated } }),
  },
});

describe('a volume as its driver knows it', () => {
  it.each<[string, NonNullable<PersistentVolume['spec']>, Readonly<Record<string, string>>, unknown]>([
    ["the driver's own", { csi: { driver: 'd', volumeHandle: 'h' } }, {}, { driver: 'd', handle: 'h' }],
    [
      'an AWS disk',
      { awsElasticBlockStore: { volumeID: 'vol-1' } },
      {},
      { driver: 'ebs.csi.aws.com', handle: 'vol-1' },
    ],
    [
      'an AWS disk with its zone',
      { awsElasticBlockStore: { volumeID: 'aws://us-east-1a/vol-1' } },
      {},
      { driver: 'ebs.csi.aws.com', handle: 'vol-1' },
    ],
    ['an AWS disk that is none', { awsElasticBlockStore: { volumeID: 'aws://us-east-1a/disk' } }, {}, undefined],
    [
      'a GCE disk of which nothing more is known',
      { gcePersistentDisk: { pdName: 'd' } },
      {},
      { driver: 'pd.csi.storage.gke.io', handle: 'projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d' },
    ],
    [
      'a GCE disk in a zone',
      { gcePersistentDisk: { pdName: 'd' } },
      { [ZONE]: 'eu-west1-b' },
      { driver: 'pd.csi.storage.gke.io', handle: 'projects/UNSPECIFIED/zones/eu-west1-b/disks/d' },
    ],
    [
      'a GCE disk in two zones of a region',
      { gcePersistentDisk: { pdName: 'd' } },
      { [ZONE]: 'eu-west1-b__eu-west1-c' },
      { driver: 'pd.csi.storage.gke.io', handle: 'projects/UNSPECIFIED/regions/eu-west1/disks/d' },
    ],
    [
      'a GCE disk in zones of two regions',
      { gcePersistentDisk: { pdName: 'd' } },
      { [ZONE]: 'eu-west1-b__eu-west2-c' },
      undefined,
    ],
    ['a local folder', { local: {} }, {}, undefined],
  ])('%s', (_, spec, labels, expected) => {
    expect(driverVolume(volume(spec, labels))).toEqual(expected);
  });

  it('says what is wrong with a disk in the pod itself', () => {
    expect(inlineDriverVolume({ name: 'v', awsElasticBlockStore: { volumeID: 'aws://z/disk' } })).toEqual({
      message: 'invalid format for AWS volume (aws://z/disk)',
    });
    expect(inlineDriverVolume({ name: 'v', emptyDir: {} })).toBeUndefined();
  });
});

describe('where a volume can be reached from', () => {
  const inZone = (key: string, ...values: string[]): NonNullable<PersistentVolume['spec']>['nodeAffinity'] => ({
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values }] }] },
  });
  const reaches = (
    given: PersistentVolume,
    node: CSINode | undefined,
    labels: Readonly<Record<string, string>>,
  ): boolean => {
    const affinity = volumeAffinity(given, node);
    if ('message' in affinity) throw new Error(affinity.message);
    return labelTest(affinity.required)(labels);
  };
  const migrated = csiNode('kubernetes.io/aws-ebs,kubernetes.io/gce-pd');
  const EBS = 'topology.ebs.csi.aws.com/zone';
  const disk = { awsElasticBlockStore: { volumeID: 'vol-1' } };

  it("goes by the driver's zone label where the node says that the type has been taken over", () => {
    const given = volume({ ...disk, nodeAffinity: inZone(ZONE, 'a')! });
    expect(reaches(given, migrated, { [EBS]: 'a' })).toBe(true);
    expect(reaches(given, migrated, { [ZONE]: 'a' })).toBe(false);
    for (const other of [undefined, csiNode(), csiNode('kubernetes.io/gce-pd')]) {
      expect(reaches(given, other, { [ZONE]: 'a' })).toBe(true);
      expect(reaches(given, other, { [EBS]: 'a' })).toBe(false);
    }
  });

  it("asks for the zones of the volume's labels where its affinity names none", () => {
    const labelled = volume(disk, { [BETA_ZONE]: 'a__b' });
    expect(reaches(labelled, migrated, { [EBS]: 'b' })).toBe(true);
    expect(reaches(labelled, migrated, { [EBS]: 'c' })).toBe(false);
    expect(reaches(labelled, undefined, {})).toBe(true);
    expect(reaches(volume(disk), migrated, {})).toBe(true);
  });

  it('reads a beta region as the later label, and leaves Azure disks as they are', () => {
    const BETA_REGION = 'failure-domain.beta.kubernetes.io/region';
    const region = inZone(BETA_REGION, 'r')!;
    const given = volume({ ...disk, nodeAffinity: region }, { [BETA_ZONE]: 'a' });
    expect(reaches(given, migrated, { [EBS]: 'a', 'topology.kubernetes.io/region': 'r' })).toBe(true);
    const azure = volume({ azureDisk: { diskName: 'd', diskURI: 'u' }, nodeAffinity: inZone(ZONE, 'a')! });
    expect(reaches(azure, csiNode('kubernetes.io/azure-disk'), { [ZONE]: 'a' })).toBe(true);
  });

  it('does not ask for the name of the node', () => {
    const byName = {
      required: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['other'] }] }],
      },
    };
    expect(reaches(volume({ local: {}, nodeAffinity: byName }), undefined, {})).toBe(true);
  });
});
