import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Search } from '../router.js';

/** What a view keeps in the address, as texts by name; an empty text is left out. */
export function useAddress<const Name extends string>(
  ...names: readonly Name[]
): [Readonly<Record<Name, string>>, (changes: Partial<Record<Name, string>>, replace?: boolean) => void] {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = useCallback(
    (changes: Partial<Record<Name, string>>, replace = true): void => {
      const given = Object.entries(changes).map(([name, text]) => [name, text === '' ? undefined : text]);
      void navigate({
        to: '.',
        search: (now: Search): Search => ({ ...now, ...(Object.fromEntries(given) as Search) }),
        replace,
        resetScroll: false,
      });
    },
    [navigate],
  );
  const texts = Object.fromEntries(names.map((name) => [name, textOf(search[name])]));
  return [texts as Record<Name, string>, set];
}

/** The router reads what looks like a number as one. */
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
