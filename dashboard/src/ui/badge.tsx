import type { ReactNode } from 'react';

export type BadgeKind = 'good' | 'warn' | 'bad' | 'quiet';

/** A short word about a state; its colour only repeats it. */
export function Badge({ kind = 'quiet', children }: { readonly kind?: BadgeKind; readonly children: ReactNode }) {
  return (
    <span className="badge" data-kind={kind}>
      {children}
    </span>
  );
}
