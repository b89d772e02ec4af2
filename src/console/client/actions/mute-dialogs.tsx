import { useSignal } from '@preact/signals'
import { post } from '../api/request.ts'
import { ActButton, ActDialog, type Reason } from '../ui/act-dialog.tsx'
import { bound, Field, Select } from '../ui/fields.tsx'
import { DialogButton } from '../ui/modal.tsx'
import { shownTime } from '../ui/time.tsx'

/** The lengths of a mute that people can choose, in hours. */
const TIMES = [
  ['0.5', '30 minutes'],
  ['1', '1 hour'],
  ['4', '4 hours'],
  ['8', '8 hours'],
  ['24', '1 day'],
  ['72', '3 days'],
  ['168', '7 days'],
  ['720', '30 days'],
] as const

/** Opens the dialog for muting a pipeline, or the pipelines that a person names. */
export function MuteButton({ pipeline }: { pipeline?: string }) {
  return <DialogButton text="Mute…" about={pipeline} dialog={() => <MuteDialog name={pipeline} />} />
}

/** Opens the dialog for ending a mute. */
export function UnmuteButton({ pipelines }: { pipelines: string }) {
  const act = async (reason: Reason) => {
    const { ended } = await post('mutes.end', { pipelines, ...reason })
    return ended ? `Messages about ${pipelines} are sent again` : `${pipelines} was no longer muted`
  }
  return (
    <ActButton about={pipelines} title={`Unmute ${pipelines}`} button="Unmute" act={act}>
      <p>People get messages again. Everything that still fails or waits is reported immediately.</p>
    </ActButton>
  )
}

function MuteDialog({ name }: { name: string | undefined }) {
  const pipelines = useSignal(name ?? '')
  const hours = useSignal<(typeof TIMES)[number][0]>('8')
  const act = async (reason: Reason) => {
    const wanted = new Date(Date.now() + Number(hours.value) * 3_600_000).toISOString()
    const { until } = await post('mutes.add', { pipelines: pipelines.value.trim(), until: wanted, ...reason })
    return `Messages about ${pipelines.value} are muted until ${shownTime(until)}`
  }
  return (
    <ActDialog title={`Mute ${name ?? 'pipelines'}`} button="Mute" act={act}>
      <p>
        During this time nobody gets messages, except about recoveries from failures that were reported before. Runs
        continue. At the end, everything that still fails or waits is reported.
      </p>
      {name === undefined && (
        <Field label="Pipeline; * stands for any characters" {...bound(pipelines)} placeholder="growth_*" required />
      )}
      <Select label="For" value={hours.value} choices={TIMES} onChoice={(chosen) => (hours.value = chosen)} />
    </ActDialog>
  )
}
