import type { Schemas } from '../../api/service.js';
import { Badge, type BadgeKind } from '../../ui/badge.js';

const OUTCOME: Readonly<Record<Schemas['GuardrailOutcome'], readonly [BadgeKind, string]>> = {
  holds: ['good', 'holds'],
  warned: ['warn', 'warns'],
  approvalNeeded: ['warn', 'asks for approval'],
  approved: ['good', 'approved'],
  refused: ['bad', 'refuses'],
};

/** What the guardrails of the cluster say of a change. */
export function Guardrails({ results }: { readonly results: readonly Schemas['GuardrailResult'][] }) {
  if (results.length === 0) return <p className="quiet">The cluster has no guardrails.</p>;
  return (
    <ul className="plain">
      {results.map(({ rule, outcome, message, approvalsNeeded }) => {
        const [kind, text] = OUTCOME[outcome];
        return (
          <li key={rule}>
            <Badge kind={kind}>{text}</Badge> <bdi>{rule}</bdi>
            {message !== null && (
              <>
                : <bdi>{message}</bdi>
              </>
            )}
            {approvalsNeeded !== null && <span className="quiet"> ({approvalsNeeded} needed)</span>}
          </li>
        );
      })}
    </ul>
  );
}
