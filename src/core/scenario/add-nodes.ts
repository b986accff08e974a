import { fieldErrorText } from '../kubernetes/error-aggregate.js';
import type { FieldPath } from '../kubernetes/field-path.js';
import type { ResourceSlice } from '../kubernetes/objects/dra.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { CSINode } from '../kubernetes/objects/storage.js';
import { validateLabels } from '../kubernetes/validation/label.js';
import { validateNode } from '../kubernetes/validation/node.js';
import { readTaintEdit } from '../taint-change/read-taint-edit.js';
import { copyNames } from './copy-names.js';
import { nodeNamed } from './node-targets.js';
import {
  namedCsiNode,
  namedNode,
  namedSlice,
  slicesToCopy,
  templateOfManifest,
  templateOfNode,
} from './node-template.js';
import { readResources } from './read-resources.js';
import type { AddNodes } from './scenario.js';
import type { ScenarioDraft } from './scenario-draft.js';
import type { ScenarioFaults } from './scenario-fault.js';
import { without } from '../collections/without.js';

/** Nodes processed between two yields. */
const FEW = 64;

/** Adds nodes from a template. Nodes that the API server would refuse are faults, with its messages. */
export function* addNodes(
  draft: ScenarioDraft,
  change: AddNodes,
  at: FieldPath,
  faults: ScenarioFaults,
): Generator<undefined, void> {
  const before = faults.all.length;
  const found = templateFor(draft, change, at, faults);
  const template = overridden(found?.node, change, at, faults);
  const naming = {
    template: found?.name,
    otherwise: change.like ?? 'node',
    plural: 'nodes',
    isTaken: (name: string) => draft.node(name) !== undefined,
  };
  const names = copyNames(change, naming, at, faults);
  if (template === undefined || faults.all.length > before) {
    draft.incomplete.nodes = true;
    return;
  }
  const csiNode = change.like === undefined ? undefined : (draft.find('CSINode', change.like) as CSINode | undefined);
  const { slices, doubt } = devicesToCopy(draft, change.like, at);
  const { labels = {} } = template.metadata;
  draft.count(names.length * (1 + (template.spec?.taints?.length ?? 0) + Object.keys(labels).length));
  for (const [index, name] of names.entries()) {
    if (index % FEW === FEW - 1) yield undefined;
    const node = namedNode(template, name);
    if (index === 0) {
      // The other nodes differ only in their names.
      for (const error of validateNode(node, draft.rules)) faults.add(at, error.type, fieldErrorText(error));
      if (faults.all.length > before) {
        draft.incomplete.nodes = true;
        return;
      }
    }
    draft.putNode(node);
    if (csiNode !== undefined) draft.putCsiNode(name, namedCsiNode(csiNode, name));
    for (const slice of slices) {
      const copy = namedSlice(slice, name);
      draft.putObject('ResourceSlice', '', copy.metadata.name, copy);
    }
  }
  if (doubt !== undefined) draft.doubtDevices({ names, why: doubt, at });
}

/** What is known of the devices of new nodes. */
interface DevicesToCopy {
  /** The ResourceSlices of the model node that others like it have, too: those of pools that belong to it alone. */
  readonly slices: readonly ResourceSlice[];
  /** Why there may be others. */
  readonly doubt: string | undefined;
}

const UNKNOWN_DEVICES = 'which devices the new nodes have is not known';

/** Notes what is taken for granted. */
function devicesToCopy(draft: ScenarioDraft, like: string | undefined, at: FieldPath): DevicesToCopy {
  if (like === undefined) return { slices: [], doubt: UNKNOWN_DEVICES };
  const { copied, isShared } = slicesToCopy(draft.admissionState, like);
  if (copied.length > 0) {
    draft.notes.push(
      `${at.toString()}: each new node is assumed to have the devices in the ResourceSlices of ${like}, without their taints`,
    );
  }
  const shared = `which devices the new nodes have of the pools that ${like} shares with other nodes is not known`;
  return { slices: copied, doubt: draft.areDevicesDoubtful(like) ? UNKNOWN_DEVICES : isShared ? shared : undefined };
}

function templateFor(
  draft: ScenarioDraft,
  { node, like }: AddNodes,
  at: FieldPath,
  faults: ScenarioFaults,
): { readonly node: Node; readonly name: string | undefined } | undefined {
  if ((node === undefined) === (like === undefined)) {
    faults.add(at, 'one-of', 'specify either node (a manifest) or like (the name of a node)');
    return undefined;
  }
  if (node !== undefined) {
    const template = templateOfManifest(node, at.child('node'), faults, draft.rules);
    return template === undefined
      ? undefined
      : { node: template.node, name: template.isNamed ? template.node.metadata.name : undefined };
  }
  const model = nodeNamed(draft, like ?? '', at.child('like'), faults);
  return model === undefined ? undefined : { node: templateOfNode(model), name: undefined };
}

/**
 * The template with the labels, taints and allocatable resources of the change. Reads every part, so that all faults
 * are reported.
 */
function overridden(
  template: Node | undefined,
  { labels, taints, allocatable }: AddNodes,
  at: FieldPath,
  faults: ScenarioFaults,
): Node | undefined {
  let ownTaints: ReturnType<typeof readTaintEdit>['edit']['add'] | undefined;
  if (taints !== undefined && taints.length > 0) {
    const { edit, errors } = readTaintEdit({ taints }, at);
    faults.addOfEdit(at, errors);
    if (edit.remove.length > 0) {
      faults.add(
        at.child('taints'),
        'invalid-taint',
        'new nodes take a complete list of taints: taints cannot be removed',
      );
    }
    ownTaints = edit.add;
  }
  for (const error of validateLabels(labels, at.child('labels'))) faults.addAsPlaced(error);
  const amounts = readResources(allocatable, at.child('allocatable'), faults);
  if (template === undefined) return undefined;
  const { metadata, spec = {}, status = {} } = template;
  const given = taints === undefined ? spec.taints : ownTaints;
  return {
    ...template,
    metadata: { ...metadata, ...(labels === undefined ? {} : { labels: { ...metadata.labels, ...labels } }) },
    spec: given === undefined ? without(spec, 'taints') : { ...spec, taints: given },
    status: amounts === undefined ? status : { ...status, allocatable: { ...status.allocatable, ...amounts } },
  };
}
