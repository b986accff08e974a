import type { Finding, FindingSuggestion } from '../../core/findings/finding.js';
import type { Labels } from '../../core/kubernetes/objects/meta.js';
import { tolerationView, type TolerationView } from '../pods/toleration-view.js';

export interface FindingView {
  readonly code: string;
  readonly severity: Finding['severity'];
  readonly subject: { readonly kind: string; readonly namespace: string | null; readonly name: string | null };
  readonly field: string | null;
  readonly pointer: string | null;
  readonly message: string;
  readonly suggestions: readonly {
    readonly text: string;
    readonly toleration: TolerationView | null;
    readonly nodeSelector: Labels | null;
  }[];
  readonly occurrences: { readonly kind: string; readonly count: number; readonly examples: readonly string[] } | null;
}

export function findingView(finding: Finding): FindingView {
  const { code, severity, subject, field = null, pointer = null, message, suggestions, occurrences = null } = finding;
  const { kind, namespace = null, name = null } = subject;
  return {
    code,
    severity,
    subject: { kind, namespace, name },
    field,
    pointer,
    message,
    suggestions: suggestions.map(suggestionView),
    occurrences,
  };
}

function suggestionView({ text, toleration, nodeSelector }: FindingSuggestion): FindingView['suggestions'][number] {
  return {
    text,
    toleration: toleration === undefined ? null : tolerationView(toleration),
    nodeSelector: nodeSelector ?? null,
  };
}
