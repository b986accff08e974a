import { useId, type ReactNode } from 'react';

/**
 * A button for something that may be out of reach: then it says why, to everybody. It stays focusable, so that a keyboard and a
 * screen reader find the reasons.
 */
export function GuardedButton({
  whyNot,
  onClick,
  children,
  primary = false,
}: {
  /** Every reason why it cannot be done now. */
  readonly whyNot: readonly string[];
  readonly onClick: () => void;
  readonly children: ReactNode;
  readonly primary?: boolean;
}) {
  const id = useId();
  const isOpen = whyNot.length === 0;
  return (
    <span className="guarded">
      <button
        type="button"
        className={primary && isOpen ? 'primary' : undefined}
        aria-disabled={!isOpen}
        aria-describedby={isOpen ? undefined : id}
        onClick={() => {
          if (isOpen) onClick();
        }}
      >
        {children}
      </button>
      {!isOpen && (
        <span id={id} className="why-not">
          {whyNot.join(' ')}
        </span>
      )}
    </span>
  );
}
