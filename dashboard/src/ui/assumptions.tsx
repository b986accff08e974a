/** What an answer takes for granted. */
export function Assumptions({ of }: { readonly of: readonly string[] }) {
  return (
    <>
      <h3>Assumptions</h3>
      <ul>
        {of.map((text) => (
          <li key={text}>
            <bdi>{text}</bdi>
          </li>
        ))}
      </ul>
    </>
  );
}
