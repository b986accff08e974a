import { defined } from '../../core/collections/defined.js';
import { selectPods, type PodCriteria, type PodPlace } from '../../core/inventory/select-pods.js';
import { STORED_POD_FIELDS } from '../../core/inventory/stored-pod-fields.js';
import { parseTaint } from '../../core/kubernetes/taint-text.js';
import { gatesOf } from '../../core/kubernetes/toleration.js';
import { authorizeValues } from '../authorize.js';
import { readFieldSelector, readTaintTexts } from '../filter-parameters.js';
import { readLabelSelector } from '../label-selector-parameter.js';
import { PageItem } from '../paging/page-item.js';
import { readPageToken, writePageToken } from '../paging/page-token.js';
import type { listPods } from '../../contract/pods/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';
import { podResponse } from './pod-response.js';

type ListPodsRequest = Omit<RequestOf<typeof listPods>, 'root'>;

/** Sorts before every character of a name, so that keys sort by namespace, then name. */
const SEPARATOR = '\0';

/** Lists the pods of a revision that match a filter, sorted by namespace and name. */
export class ListPods {
  constructor(private readonly readState: ReadState) {}

  /** @throws {InvalidRequestError} a filter is invalid */
  async run(request: ListPodsRequest, context: RequestContext): Promise<AnswerTo<typeof listPods>> {
    const { cluster, readAt, page } = request;
    const criteria = readFilter(request);
    authorizeValues(context, cluster, 'toleratesTaint', criteria.tolerates ?? []);
    const { labelSelector, fieldSelector, namespace, nodeName, phase, workload, workloadKind, toleratesTaint } =
      request;
    const list = [
      ...['pods', labelSelector, fieldSelector, namespace, nodeName, phase, workload, workloadKind],
      JSON.stringify(toleratesTaint ?? []),
    ];
    const { state, basis, list: identity } = await this.readState.runPage(cluster, readAt, list, page, context);
    const after =
      page.after === undefined ? undefined : placeOf(readPageToken(identity, page.after, page.afterName).after);
    const slices = new TimeSlices({ signal: context.signal });
    const selection = await runSteps(selectPods(state, criteria, page.size, after, gatesOf(state.rules)), slices);
    const tokenOf = (after: string): string => writePageToken(identity, { after, revision: basis.revision });
    const items = await slices.map(selection.page, (index) => {
      const key = state.pods.namespace(index) + SEPARATOR + state.pods.name(index);
      return new PageItem(podResponse(state, index), key, tokenOf);
    });
    const { remaining, total } = selection;
    return { basis, page: { items, hasMore: remaining > 0, remaining, total } };
  }
}

function readFilter(filter: Omit<ListPodsRequest, 'cluster' | 'readAt' | 'page'>): PodCriteria {
  const { namespace, nodeName, phase, workload, workloadKind } = filter;
  const labels = readLabelSelector(filter.labelSelector);
  const fields = readFieldSelector(filter.fieldSelector, STORED_POD_FIELDS);
  return {
    ...defined({ labels, fields, namespace, nodeName, phase }),
    ...(workload === undefined && workloadKind === undefined
      ? {}
      : {
          workload: {
            ...defined({ name: workload, kind: workloadKind }),
          },
        }),
    tolerates: readTaintTexts(filter.toleratesTaint ?? [], 'toleratesTaint', parseTaint),
  };
}

function placeOf(key: string): PodPlace {
  const [namespace = '', name = ''] = key.split(SEPARATOR);
  return { namespace, name };
}
