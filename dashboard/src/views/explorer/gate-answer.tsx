import type { Schemas } from '../../api/service.js';
import { Badge } from '../../ui/badge.js';
import { CopyButton } from '../../ui/copy-button.js';
import { ProposedChange } from './proposed-change.js';

const KINDS = { yes: 'good', no: 'bad', unknown: 'warn' } as const;
const GLYPHS = { yes: '✓', no: '✕', unknown: '?' } as const;

type Gate = Schemas['Gate'];

/** Whether the manifests can be deployed and run, and what keeps them from it. */
export function GateAnswer({
  gate,
  text,
  onAsk,
}: {
  readonly gate: Gate;
  readonly text: string;
  readonly onAsk: (text: string) => void;
}) {
  const certain = gate.reasons.filter(({ verdict }) => verdict === 'no');
  const unknown = gate.reasons.filter(({ verdict }) => verdict !== 'no');
  return (
    <section className="panel" aria-labelledby="gate">
      <h2 id="gate">
        The gate{' '}
        <Badge kind={KINDS[gate.verdict]}>
          {GLYPHS[gate.verdict]} {gate.verdict}
        </Badge>
      </h2>
      <p>{gate.summary}</p>
      <Reasons reasons={certain} />
      {unknown.length > 0 && (
        <details open={certain.length === 0}>
          <summary>{unknown.length} not known</summary>
          <Reasons reasons={unknown} />
        </details>
      )}
      {gate.warnings.length > 0 && (
        <details>
          <summary>{gate.warnings.length === 1 ? '1 warning' : `${gate.warnings.length} warnings`}</summary>
          <ul className="explorer-reasons">
            {gate.warnings.map(({ message, field }, at) => (
              <li key={at}>
                {message} {field !== null && <code>{field}</code>}
              </li>
            ))}
          </ul>
        </details>
      )}
      {gate.changes !== null && (
        <>
          <h3>The smallest set of changes that makes it yes</h3>
          {gate.changes.map((change, at) => (
            <div key={at} className="explorer-fix">
              <p>
                {change.object.kind} <bdi>{change.object.name}</bdi>: {change.text}
              </p>
              {change.command !== null && <Command command={change.command} />}
              {change.patch.length > 0 &&
                (gate.objects.length === 1 && change.object.document !== null ? (
                  <ProposedChange text={text} patch={change.patch} onAsk={onAsk} />
                ) : (
                  <pre className="diff" tabIndex={0}>
                    {JSON.stringify(change.patch, undefined, 2)}
                  </pre>
                ))}
            </div>
          ))}
        </>
      )}
      {gate.changesNote !== null && <p className="quiet">{gate.changesNote}</p>}
    </section>
  );
}

function Reasons({ reasons }: { readonly reasons: Gate['reasons'] }) {
  return (
    <ul className="explorer-reasons">
      {reasons.map(({ message, object, by, code }, at) => (
        <li key={at}>
          <bdi>{message}</bdi>{' '}
          <span className="quiet">
            {by ?? code}
            {object !== null && object.line !== null && `, line ${object.line}`}
            {object !== null && (object.pointer ?? '') !== '' && <code> {object.pointer}</code>}
          </span>
        </li>
      ))}
    </ul>
  );
}

export function Command({ command }: { readonly command: string }) {
  return (
    <p>
      <code>{command}</code> <CopyButton text={command} what="the command" />
    </p>
  );
}
