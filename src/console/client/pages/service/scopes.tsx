/** Delivery scopes, each in one piece. */
export function Scopes({ scopes }: { readonly scopes: readonly string[] }) {
  if (scopes.length === 0) return <span class="muted">none</span>
  return (
    <>
      {scopes.map((scope, at) => (
        <span key={scope}>
          <span class="figure">{scope}</span>
          {at < scopes.length - 1 && ', '}
        </span>
      ))}
    </>
  )
}
