import { Choice, Entry } from './form-fields.tsx'
import type { FaultForm } from './read-fault.ts'

interface Props {
  readonly form: FaultForm
  readonly onChange: (fields: Partial<FaultForm>) => void
}

/** What an action needs to be said, and which requests it is for. */
export function FaultDetails({ form, onChange }: Props) {
  const { which } = form
  return (
    <>
      <ActionDetails form={form} onChange={onChange} />
      <Choice
        label="Which requests"
        value={which}
        choices={[
          ['every', 'every one'],
          ['nth', 'from a certain one on'],
          ['share', 'a share of them'],
        ]}
        onChoice={(chosen) => onChange({ which: chosen })}
      />
      {which === 'nth' && (
        <Entry
          label="The number of the first, counted from now on"
          value={form.nth}
          onText={(nth) => onChange({ nth })}
        />
      )}
      {which === 'share' && (
        <Entry label="Percent of the requests" value={form.percent} onText={(percent) => onChange({ percent })} />
      )}
      <Entry
        label="How often at most"
        value={form.times}
        placeholder={which === 'nth' ? 'once' : 'without end'}
        onText={(times) => onChange({ times })}
      />
    </>
  )
}

function ActionDetails({ form: { action, status, retryAfter, seconds, garbage }, onChange }: Props) {
  if (action === 'status')
    return (
      <>
        <Entry label="Status, 400 to 599" value={status} onText={(text) => onChange({ status: text })} />
        <Entry
          label="Retry-After, in seconds or as a date"
          value={retryAfter}
          placeholder="none"
          isText
          onText={(text) => onChange({ retryAfter: text })}
        />
      </>
    )
  if (action === 'delay' || action === 'lag')
    return <Entry label="Seconds" value={seconds} onText={(text) => onChange({ seconds: text })} />
  if (action !== 'garbage') return null
  return (
    <Choice
      label="The answer is"
      value={garbage}
      choices={[
        ['html', 'a page of HTML'],
        ['json', 'JSON that breaks off'],
      ]}
      onChoice={(chosen) => onChange({ garbage: chosen })}
    />
  )
}
