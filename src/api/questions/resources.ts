import type { RequestContext } from '../../app/request-context.js';
import type { RequestOf } from '../../app/request-of.js';
import { ExplainPodResources } from '../../app/resources/explain-pod-resources.js';
import { ListAllocations } from '../../app/resources/list-allocations.js';
import { ReadNodeAllocation } from '../../app/resources/read-node-allocation.js';
import { ReadOverheadCosts } from '../../app/resources/read-overhead-costs.js';
import * as resources from '../../contract/resources/questions.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';
import { maskedTextFor } from '../masking/install-masking.js';
import { questionErrors } from '../../app/placements/placement-request.js';
import { errorsInValid } from './check-errors.js';

const NODE_TEXT = `Taints:             <none>
Non-terminated Pods:          (1 in total)
  Namespace                   Name        CPU Requests  CPU Limits   Memory Requests  Memory Limits  Age
  ---------                   ----        ------------  ----------   ---------------  -------------  ---
  default                     test-pod    2250m (56%)   2250m (56%)  320Mi (1%)       320Mi (1%)     5m
Allocated resources:
  (Total limits may be over 100 percent, i.e., overcommitted.)
  Resource           Requests     Limits
  --------           --------     ------
  cpu                2250m (56%)  2250m (56%)
  memory             320Mi (1%)   320Mi (1%)
  ephemeral-storage  0 (0%)       0 (0%)
`;

const POD_TEXT = `Tolerations:     node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
                 node.kubernetes.io/unreachable:NoExecute op=Exists for 300s
`;

type StoredPod = RequestOf<typeof resources.explainStoredPodResources>;

export const RESOURCE_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(resources.explainPodResources, ExplainPodResources, { crossFieldErrors: errorsInValid(questionErrors) }),
  answeredBy(resources.explainStoredPodResources, ExplainPodResources, {
    ask: (
      explainPodResources: ExplainPodResources,
      { namespace, name, ...options }: StoredPod,
      context: RequestContext,
    ) => explainPodResources.run({ ...options, podRef: { namespace, name } }, context),
    formats: {
      describe: {
        mediaType: 'text/plain',
        example: POD_TEXT,
        write: async (explainPodResources, { cluster, readAt, namespace, name }, context) => {
          const subject = { cluster, readAt, podRef: { namespace, name } };
          return maskedTextFor(context, await explainPodResources.describe(subject, context));
        },
      },
    },
  }),
  answeredBy(resources.readNodeAllocation, ReadNodeAllocation, {
    formats: {
      describe: {
        mediaType: 'text/plain',
        example: NODE_TEXT,
        write: async (readNodeAllocation, request, context) =>
          maskedTextFor(context, await readNodeAllocation.describe(request, context)),
      },
    },
  }),
  answeredBy(resources.listAllocations, ListAllocations),
  answeredBy(resources.readOverheadCosts, ReadOverheadCosts),
];
