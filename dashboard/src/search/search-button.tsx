import { lazy, Suspense, useEffect, useState } from 'react';
import type { Moment } from '../api/moment.js';

const SearchDialog = lazy(() => import('./search-dialog.js'));
const KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';

/** Opens the search; so do Ctrl-K and Cmd-K. */
export function SearchButton({ cluster, moment }: { readonly cluster: string | undefined; readonly moment: Moment }) {
  // One that was closed tells so late: by then the next may be open.
  const [{ isOpen, number }, set] = useState({ isOpen: false, number: 0 });
  const open = (): void => set((former) => ({ isOpen: true, number: former.number + 1 }));
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      // Another dialog is on top: it is answered first.
      if (document.querySelector('dialog[open]') === null) open();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <button
        type="button"
        className="search-open"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={open}
      >
        Search <kbd>{KEYS}</kbd>
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <SearchDialog
            key={number}
            cluster={cluster}
            moment={moment}
            onClose={() => set((now) => (now.number === number ? { ...now, isOpen: false } : now))}
          />
        </Suspense>
      )}
    </>
  );
}
