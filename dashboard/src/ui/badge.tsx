import type { ReactNode } from 'react';

/** A word or two that stand out; never colour alone. */
export function Badge({
  kind,
  title,
  children,
}: {
  readonly kind?: 'good' | 'warn' | 'bad' | undefined;
  readonly title?: string | undefined;
  readonly children: ReactNode;
}) {
  return (
    <span className="badge" data-kind={kind} title={title}>
      {children}
    </span>
  );
}
