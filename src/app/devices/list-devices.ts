import type { listDevices } from '../../contract/devices/questions.js';
import type { device as deviceObject } from '../../contract/devices/device.js';
import type { AnswerTo } from '../../contract/question.js';
import type { Response } from '../../contract/schema.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { defined } from '../../core/collections/defined.js';
import { claimText } from '../../core/devices/device-allocator.js';
import {
  ClassSelection,
  stepDeviceInventory,
  type DeviceHolder,
  type InventoryDevice,
} from '../../core/devices/device-inventory.js';
import { compare } from '../../core/json/compare.js';
import type { DeviceAttribute, DeviceClass, ResourceClaim, ResourceSlice } from '../../core/kubernetes/objects/dra.js';
import { deviceReads, type DeviceReads } from '../../core/devices/allocator-features.js';
import { taintRulesOf } from '../../core/placement/plugins/dynamic-resources/cluster-devices.js';
import { deviceKinds } from '../../core/placement/plugins/dynamic-resources/dynamic-resources.js';
import { missingKinds } from '../../core/placement/kinds-not-loaded.js';
import { ServiceError } from '../errors/service-error.js';
import { mapPage, pageByPosition } from '../paging/page-by-position.js';
import { ReadState } from '../reads/read-state.js';
import { stateUnderGates } from '../reads/state-under-gates.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';

type DeviceResponse = Response<typeof deviceObject>;

const BUDGET_MS = 30_000;
/** Devices that a class is asked about between two looks at the clock. */
const STRIDE = 64;

/** Lists the devices of a revision that match a filter. */
export class ListDevices {
  constructor(private readonly readState: ReadState) {}

  /** @throws {ServiceError} as `ReadState.runPage`; `budget-exceeded` if the selectors of the class cost too much */
  async run(request: RequestOf<typeof listDevices>, context: RequestContext): Promise<AnswerTo<typeof listDevices>> {
    const { cluster, readAt, page, node, driver, pool, deviceClass, state: wanted, DRADeviceTaintRules } = request;
    const identity = ['devices', node, driver, pool, deviceClass, wanted, DRADeviceTaintRules];
    const { state: stored, basis, list } = await this.readState.runPage(cluster, readAt, identity, page, context);
    const state = stateUnderGates(stored, defined({ DRADeviceTaintRules }), null);
    const notLoaded = missingKinds(state, deviceKinds(state));
    const slices = new TimeSlices({ budgetMs: BUDGET_MS, signal: context.signal });
    const classes = state.objects('DeviceClass') as readonly DeviceClass[];
    const reads = deviceReads(state.rules);
    const objects = {
      claims: notLoaded.includes('ResourceClaim')
        ? undefined
        : (state.objects('ResourceClaim') as readonly ResourceClaim[]),
      slices: state.objects('ResourceSlice') as readonly ResourceSlice[],
      classOf: (name: string) => state.find('DeviceClass', undefined, name) as DeviceClass | undefined,
      taintRules: taintRulesOf(state),
      reads,
    };
    const filter = defined({ node, driver, pool, state: wanted });
    const all = await runSteps(stepDeviceInventory(objects, filter), slices);
    const selected = deviceClass === undefined ? all : await ofClass(all, objects.classOf(deviceClass), reads, slices);
    const selection = notLoaded.includes('DeviceClass')
      ? undefined
      : new ClassSelection(classes, reads.allowMultipleAllocations);
    const cut = pageByPosition(selected, page, list, basis.revision);
    return { basis, notLoaded, page: mapPage(cut, (device) => deviceResponse(state, device, selection?.of(device))) };
  }
}

async function ofClass(
  devices: readonly InventoryDevice[],
  deviceClass: DeviceClass | undefined,
  { allowMultipleAllocations }: DeviceReads,
  slices: TimeSlices,
): Promise<readonly InventoryDevice[]> {
  if (deviceClass === undefined) return [];
  const selection = new ClassSelection([], allowMultipleAllocations);
  const selected: InventoryDevice[] = [];
  for (const [index, device] of devices.entries()) {
    if (index % STRIDE === 0 && slices.due()) await slices.pause();
    const isSelected = selection.selects(deviceClass, device);
    if (isSelected === undefined) {
      const message = `The selectors of device class ${JSON.stringify(deviceClass.metadata.name)} cost too much to evaluate on all devices, or are not evaluated here.`;
      throw new ServiceError('budget-exceeded', message);
    }
    if (isSelected) selected.push(device);
  }
  return selected;
}

function deviceResponse(
  { pods }: ClusterState,
  { driver, pool, device: name, object, slice, state, taints, holders }: InventoryDevice,
  classes: readonly string[] | undefined,
): DeviceResponse {
  const { nodeName, pool: { generation = 0 } = {} } = slice.spec ?? {};
  const { attributes = {}, capacity = {} } = object;
  return {
    driver,
    pool,
    name,
    node: nodeName ?? object.nodeName ?? null,
    slice: slice.metadata.name,
    generation,
    state,
    classes: classes ?? null,
    attributes: named(attributes, attributeText),
    capacity: named(capacity, ({ value }) => value),
    taints: taints.map(({ taint, rule }) => ({ taint, rule: rule ?? null })),
    holders: holders.map((holder) => holderResponse(pods, holder)),
  };
}

function holderResponse(
  pods: ClusterState['pods'],
  { claim, result }: DeviceHolder,
): DeviceResponse['holders'][number] {
  const { namespace = '' } = claim.metadata;
  const users = (claim.status?.reservedFor ?? []).filter(({ apiGroup = '', resource, name, uid }) => {
    const index = apiGroup === '' && resource === 'pods' ? pods.indexOf(namespace, name) : -1;
    return index >= 0 && pods.uid(index) === uid;
  });
  return {
    claim: claimText(claim),
    request: result.request,
    adminAccess: result.adminAccess === true,
    consumedCapacity: named(result.consumedCapacity ?? {}, (value) => value),
    pods: users.map(({ name }) => `${namespace}/${name}`),
  };
}

function named<Value>(
  values: Readonly<Record<string, Value>>,
  text: (value: Value) => string,
): readonly { readonly name: string; readonly value: string }[] {
  return Object.entries(values)
    .sort(([a], [b]) => compare(a, b))
    .map(([name, value]) => ({ name, value: text(value) }));
}

function attributeText({ int, bool, string, version, ints, bools, strings, versions }: DeviceAttribute): string {
  const single = int ?? bool ?? string ?? version;
  if (single !== undefined) return String(single);
  return (ints ?? bools ?? strings ?? versions ?? []).map(String).join(', ');
}
