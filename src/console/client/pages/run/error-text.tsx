/** An API error: a record with a message, and often with a code and a hint. */
export function ErrorText({ error }: { error: Readonly<Record<string, unknown>> }) {
  const { message, hint, code, step } = error
  return (
    <div class="error-text">
      <strong>
        {typeof step === 'string' && `${step}: `}
        <bdi>{typeof message === 'string' ? message : 'It failed.'}</bdi>
      </strong>
      {typeof hint === 'string' && <div>{hint}</div>}
      {typeof code === 'string' && <code class="muted">{code}</code>}
    </div>
  )
}
