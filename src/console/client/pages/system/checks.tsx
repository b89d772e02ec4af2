import type { System } from '../../api/types.ts'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'

/** What is wrong: conditions that are not met, documents that are invalid, and runs of other services. */
export function Checks({ system: { checks, problems, otherServices } }: { readonly system: System }) {
  return (
    <Section title="Checks">
      {checks.length === 0 && problems.length === 0 && (
        <Notice tone="good" icon="check">
          All checks pass, and every document is valid.
        </Notice>
      )}
      {checks.map(({ check, reason }) => (
        <Notice key={check} tone="bad" icon="warning">
          <strong>{check}</strong> <span>{reason}</span>
        </Notice>
      ))}
      {problems.map(({ file, messages }) => (
        <Notice key={file} tone="bad" icon="warning">
          <div>
            <strong>{file}</strong>
            {messages.map((message) => (
              <div key={message}>{message}</div>
            ))}
          </div>
        </Notice>
      ))}
      {otherServices.map(({ profile, service, runs }) => (
        <Notice key={String(service)} tone="wait" icon="warning">
          Unfinished runs of another service wait for a process of their own: {String(runs)} of {String(profile)},{' '}
          {String(service)}
        </Notice>
      ))}
    </Section>
  )
}
