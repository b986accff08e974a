import { queryOptions, skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { stringify } from 'yaml';
import { useCluster } from '../../api/cluster.js';
import { useMoment, type Moment } from '../../api/moment.js';
import { clusterKey } from '../../api/queries.js';
import { service } from '../../api/service.js';
import { Failure } from '../../ui/failure.js';
import { useAddress } from '../../ui/use-address.js';
import { GateAnswer } from './gate-answer.js';
import { MOST_IN_ADDRESS, packed, unpacked } from './manifest-address.js';
import { PlacementAnswer } from './placement-answer.js';
import './explorer.css';

const EXAMPLE = `apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - name: web
    image: nginx
    resources:
      requests:
        cpu: 500m
        memory: 128Mi
`;

const KINDS = ['Pod', 'Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Job', 'CronJob'] as const;
type WorkloadKind = Exclude<(typeof KINDS)[number], 'Pod'>;

/** What is asked about: a text, or something stored as `kind namespace/name`. */
type Subject = { readonly text: string } | { readonly stored: string };

/** As it was sent: the service tells JSON from YAML by the header. */
const textOf = (text: string) => (text.trimStart().startsWith('{') ? { json: text } : { yaml: text });

const gateOf = (cluster: string, moment: Moment, subject: Subject | undefined, record: boolean) =>
  queryOptions({
    queryKey: [...clusterKey(cluster), 'gate', moment, subject, record],
    queryFn:
      subject === undefined || !('text' in subject)
        ? skipToken
        : ({ signal }) =>
            service.post('/api/v1/clusters/{cluster}/gates', {
              path: { cluster },
              query: { ...moment, record },
              ...textOf(subject.text),
              signal,
            }),
    placeholderData: () => undefined,
  });

const placementOf = (cluster: string, moment: Moment, subject: Subject | undefined) =>
  queryOptions({
    queryKey: [...clusterKey(cluster), 'placement', moment, subject],
    queryFn:
      subject === undefined
        ? skipToken
        : ({ signal }) => {
            const path = { cluster };
            if ('text' in subject) {
              const query = { ...moment, ranking: true };
              return service.post('/api/v1/clusters/{cluster}/placements', {
                path,
                query,
                ...textOf(subject.text),
                signal,
              });
            }
            const [kind = '', reference = ''] = subject.stored.split(' ');
            const [namespace = '', name = ''] = reference.split('/');
            const body =
              kind === 'Pod'
                ? { podRef: { namespace, name }, ranking: true }
                : { workloadRef: { kind: kind as WorkloadKind, namespace, name }, ranking: true };
            return service.post('/api/v1/clusters/{cluster}/placements', {
              path,
              query: { ...moment },
              body,
              signal,
            });
          },
    placeholderData: () => undefined,
  });

const decisionOf = (id: string) =>
  queryOptions({
    queryKey: ['decision', id],
    queryFn: id === '' ? skipToken : ({ signal }) => service.get('/api/v1/decisions/{id}', { path: { id }, signal }),
    placeholderData: () => undefined,
  });

const manifestIn = (address: string) =>
  queryOptions({
    queryKey: ['manifest', address],
    queryFn: address === '' ? skipToken : () => unpacked(address),
    placeholderData: () => undefined,
  });

interface RecordedQuestion {
  readonly objects?: readonly { readonly object: { readonly value: unknown } }[];
  readonly pod?: unknown;
}

/** The manifests of a recorded question, as text. */
function textOfQuestion(question: unknown): string | undefined {
  const { objects = [], pod } = (question ?? {}) as RecordedQuestion;
  const manifests = pod === undefined ? objects.map(({ object }) => object.value) : [pod];
  return manifests.length === 0 ? undefined : manifests.map((one) => stringify(one)).join('---\n');
}

/** Where a manifest can go, why not elsewhere, and what would make it so. */
export default function ExplorerView() {
  const cluster = useCluster();
  const moment = useMoment();
  const client = useQueryClient();
  const [address, setAddress] = useAddress('manifest', 'decision', 'stored');
  const linked = useQuery(manifestIn(address.manifest));
  const decision = useQuery(decisionOf(address.decision));
  const given = linked.data ?? textOfQuestion(decision.data?.question);
  // A text that is too long for the address, and is not on record yet.
  const [long, setLong] = useState<string>();
  const [cancelled, setCancelled] = useState(false);
  const [typed, setTyped] = useState<string>();
  const text = typed ?? given ?? '';
  const asked = long ?? given;
  const subject: Subject | undefined =
    asked !== undefined ? { text: asked } : address.stored !== '' ? { stored: address.stored } : undefined;
  const gate = useQuery({ ...gateOf(cluster, moment, subject, long !== undefined), enabled: !cancelled });
  const placement = useQuery({ ...placementOf(cluster, moment, subject), enabled: !cancelled });
  const recorded = long === undefined ? undefined : gate.data?.decision?.id;

  const askFor = async (next: string): Promise<void> => {
    setTyped(next);
    setCancelled(false);
    const link = await packed(next);
    if (link.length <= MOST_IN_ADDRESS) {
      setLong(undefined);
      setAddress({ manifest: link, decision: '', stored: '' }, false);
    } else {
      setLong(next);
      setAddress({ manifest: '', decision: '', stored: '' }, false);
    }
  };
  const isAsking = gate.fetchStatus === 'fetching' || placement.fetchStatus === 'fetching';
  const cancel = (): void => {
    setCancelled(true);
    void client.cancelQueries({ queryKey: [...clusterKey(cluster), 'gate'] });
    void client.cancelQueries({ queryKey: [...clusterKey(cluster), 'placement'] });
  };
  return (
    <>
      <h1 className="sr-only">Placement explorer</h1>
      <div className="explorer">
        <div>
          <section className="panel" aria-label="What to place">
            <Editor text={text} onText={setTyped} onAsk={(next) => void askFor(next)} />
            {long !== undefined && (
              <p role="status" className="quiet">
                The manifest is too long for a link.{' '}
                {recorded !== undefined ? (
                  <button type="button" onClick={() => setAddress({ decision: recorded })}>
                    Link to the recorded decision
                  </button>
                ) : (
                  'A link leads to the decision once it is recorded.'
                )}
              </p>
            )}
            {[linked.error, decision.error].map((error, at) => error !== null && <Failure key={at} error={error} />)}
            {decision.data !== undefined && (decision.data.questionNote !== null || given === undefined) && (
              <p className="quiet">{decision.data.questionNote ?? 'The question of this decision has no manifest.'}</p>
            )}
          </section>
          <Stored
            onAsk={(stored) => {
              setLong(undefined);
              setCancelled(false);
              setTyped('');
              setAddress({ stored, manifest: '', decision: '' }, false);
            }}
          />
        </div>
        <div aria-live="polite">
          {isAsking && (
            <p className="panel" role="status">
              The service is evaluating…{' '}
              <button type="button" onClick={cancel}>
                Cancel
              </button>
            </p>
          )}
          {cancelled && (
            <p className="panel" role="status">
              Cancelled.{' '}
              <button type="button" onClick={() => setCancelled(false)}>
                Ask again
              </button>
            </p>
          )}
          {subject === undefined && !cancelled && (
            <section className="panel">
              <h2>Where can it go?</h2>
              <p>
                Paste or drop a manifest, or choose what is stored: the answer is what Kubernetes would say, node by
                node, with what would change it.
              </p>
              <button type="button" onClick={() => setTyped(EXAMPLE)}>
                Start with an example
              </button>
            </section>
          )}
          {gate.error !== null && !cancelled && <Failure error={gate.error} />}
          {gate.data !== undefined && (
            <GateAnswer gate={gate.data} text={asked ?? ''} onAsk={(next) => void askFor(next)} />
          )}
          {placement.error !== null && placement.error.message !== gate.error?.message && !cancelled && (
            <Failure error={placement.error} />
          )}
          {placement.data !== undefined && (
            <PlacementAnswer placement={placement.data} text={asked} onAsk={(next) => void askFor(next)} />
          )}
        </div>
      </div>
    </>
  );
}

function Editor({
  text,
  onText,
  onAsk,
}: {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onAsk: (text: string) => void;
}) {
  const file = useRef<HTMLInputElement>(null);
  const open = async (given: File | undefined): Promise<void> => {
    if (given !== undefined) onText(await given.text());
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onAsk(text);
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        const [dropped] = event.dataTransfer.files;
        if (dropped === undefined) return;
        event.preventDefault();
        void open(dropped);
      }}
    >
      <label htmlFor="manifest">
        <strong>Manifest</strong> <span className="quiet">YAML or JSON; several documents are deployed together</span>
      </label>
      <textarea
        id="manifest"
        className="code"
        aria-label="Manifest"
        spellCheck={false}
        autoComplete="off"
        value={text}
        onChange={({ target }) => onText(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onAsk(text);
        }}
      />
      <div className="explorer-tools">
        <button type="submit" className="primary" disabled={text.trim() === ''}>
          Ask
        </button>
        <button type="button" onClick={() => file.current?.click()}>
          Open a file
        </button>
        <input
          ref={file}
          type="file"
          hidden
          accept=".yaml,.yml,.json"
          onChange={({ target }) => void open(target.files?.[0])}
        />
        <span className="quiet">or drop one here; Ctrl-Enter asks</span>
      </div>
    </form>
  );
}

function Stored({ onAsk }: { readonly onAsk: (stored: string) => void }) {
  const [{ stored }] = useAddress('stored');
  const [kind, setKind] = useState('Pod');
  const [name, setName] = useState('');
  useEffect(() => {
    const [of, reference] = stored.split(' ');
    if (of === undefined || reference === undefined) return;
    // eslint-disable-next-line react-hooks/set-state-in-effect -- the address changes from outside too
    setKind(of);
    setName(reference);
  }, [stored]);
  return (
    <section className="panel" aria-label="Stored">
      <form
        className="explorer-tools"
        onSubmit={(event) => {
          event.preventDefault();
          onAsk(`${kind} ${name.includes('/') ? name : `default/${name}`}`);
        }}
      >
        <label>
          Stored{' '}
          <select aria-label="Kind" value={kind} onChange={({ target }) => setKind(target.value)}>
            {KINDS.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <input
          aria-label="Namespace and name"
          placeholder="namespace/name"
          value={name}
          onChange={({ target }) => setName(target.value.trim())}
        />
        <button type="submit" disabled={name === ''}>
          Ask about it
        </button>
      </form>
    </section>
  );
}
