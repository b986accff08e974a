import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useId, useState } from 'react';

const QUIET_MS = 150;

/** A parameter of the address that is text; empty if it is absent. */
export function useTextParameter(name: string): readonly [string, (value: string) => void] {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const given = search[name];
  const navigate = useNavigate();
  const set = (value: string): void => {
    void navigate({
      to: '.',
      search: (former) => ({ ...former, [name]: value === '' ? undefined : value }),
      replace: true,
    });
  };
  // The router reads numbers as such.
  return [typeof given === 'string' || typeof given === 'number' ? String(given) : '', set];
}

/** A field whose text is kept in the address, once one pauses. */
export function FilterField({ label, parameter }: { readonly label: string; readonly parameter: string }) {
  const [kept, keep] = useTextParameter(parameter);
  const [text, setText] = useState(kept);
  const [known, setKnown] = useState(kept);
  const id = useId();
  if (known !== kept) {
    setKnown(kept);
    setText(kept);
  }
  useEffect(() => {
    if (text === kept) return undefined;
    const timer = window.setTimeout(() => keep(text), QUIET_MS);
    return () => window.clearTimeout(timer);
  });
  return (
    <label className="filter-field" htmlFor={id}>
      <span>{label}</span>
      <input
        id={id}
        type="search"
        value={text}
        autoComplete="off"
        spellCheck={false}
        maxLength={253}
        onChange={({ target }) => setText(target.value)}
      />
    </label>
  );
}
