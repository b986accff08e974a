import type { configureWebhooks } from '../../contract/admission/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { poolsIn } from '../../core/pools/pools-in.js';
import { EXEMPT_UNLESS_TOLD } from '../../core/pools/pool.js';
import { ADDING_WEBHOOK, REFUSING_WEBHOOK } from '../../core/pools/webhook-names.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import type { TrustedCertificates } from './trusted-certificates.js';

type ConfigureWebhooksRequest = RequestOf<typeof configureWebhooks>;

/** The default service, as namespace/name. */
const USUAL_SERVICE = 'kube-placement/kube-placement';

const SERVICE = /^([a-z0-9][a-z0-9-]{0,62})\/([a-z0-9][a-z0-9-]{0,62})(?::(\d{1,5}))?$/;

/** Generates the manifests that configure a cluster's API server to call the webhooks. */
export class ConfigureWebhooks {
  constructor(
    private readonly readState: ReadState,
    private readonly certificates: TrustedCertificates,
  ) {}

  /** @throws {InvalidRequestError} for an invalid address of the service; {ServiceError} as `ReadState.run` */
  async run(request: ConfigureWebhooksRequest, context: RequestContext): Promise<AnswerTo<typeof configureWebhooks>> {
    const { cluster } = request;
    const { state } = await this.readState.run(cluster, {}, context);
    const exempt = poolsIn(state).map(({ exemptNamespaces }) => exemptNamespaces);
    const [first = EXEMPT_UNLESS_TOLD, ...others] = exempt;
    const ofAll = first.filter((name) => others.every((names) => names.includes(name)));
    const caBundle = await this.certificates.bundle();
    const client = (path: string): JsonObject => ({
      ...clientConfig(request, `/api/v1/clusters/${cluster}/webhooks/${path}`),
      ...(caBundle === undefined ? {} : { caBundle: Buffer.from(caBundle).toString('base64') }),
    });
    return {
      apiVersion: 'v1',
      kind: 'List',
      items: [
        {
          ...head('MutatingWebhookConfiguration', cluster),
          webhooks: [
            {
              ...common(request, ofAll),
              name: ADDING_WEBHOOK,
              clientConfig: client('mutate-pods'),
              rules: rules(['CREATE']),
              reinvocationPolicy: 'IfNeeded',
            },
          ],
        },
        {
          ...head('ValidatingWebhookConfiguration', cluster),
          webhooks: [
            {
              ...common(request, ofAll),
              name: REFUSING_WEBHOOK,
              clientConfig: client('validate-pods'),
              rules: rules(['CREATE', 'UPDATE']),
            },
          ],
        },
      ],
    };
  }
}

const head = (kind: string, cluster: string): JsonObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind,
  metadata: { name: 'kube-placement', annotations: { 'kube-placement.dev/cluster': cluster } },
});

function common(
  { failurePolicy = 'Ignore', timeoutSeconds = 5 }: ConfigureWebhooksRequest,
  exempt: readonly string[],
): JsonObject {
  return {
    admissionReviewVersions: ['v1'],
    failurePolicy,
    matchPolicy: 'Equivalent',
    // Has a side effect: a record is stored, unless the request is a dry run.
    sideEffects: 'NoneOnDryRun',
    timeoutSeconds,
    ...(exempt.length === 0
      ? {}
      : {
          namespaceSelector: {
            matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: [...exempt] }],
          },
        }),
  };
}

const rules = (operations: string[]): JsonObject[] => [
  { apiGroups: [''], apiVersions: ['v1'], operations, resources: ['pods'], scope: 'Namespaced' },
];

/** The API server only supports https. */
function clientConfig({ url, service }: ConfigureWebhooksRequest, path: string): JsonObject {
  const refuse = (field: string, code: string, message: string): never => {
    throw new InvalidRequestError([{ field, code, message }]);
  };
  if (url !== undefined && service !== undefined)
    return refuse('service', 'conflicting-parameters', 'give either url or service, not both');
  if (url === undefined) {
    const [, namespace, name, port] =
      SERVICE.exec(service ?? USUAL_SERVICE) ??
      refuse('service', 'invalid', 'must be namespace/name or namespace/name:port');
    return {
      service: { namespace: namespace!, name: name!, path, ...(port === undefined ? {} : { port: Number(port) }) },
    };
  }
  const base = URL.canParse(url) ? new URL(url) : undefined;
  const isPlain = base?.protocol === 'https:' && base.username === '' && base.search === '' && base.hash === '';
  if (!isPlain) return refuse('url', 'invalid', 'must be an https:// URL without user, query and fragment');
  return { url: `${base.href.replace(/\/$/, '')}${path}` };
}
