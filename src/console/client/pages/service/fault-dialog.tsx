import { useSignal } from '@preact/signals'
import { post } from '../../api/request.ts'
import type { FaultChoice } from '../../api/types.ts'
import { ActDialog } from '../../ui/act-dialog.tsx'
import { FaultDetails } from './fault-details.tsx'
import { ACTION_LABELS, faultText } from './fault-text.ts'
import { Choice } from './form-fields.tsx'
import { EMPTY_FAULT, type FaultForm, readFault } from './read-fault.ts'

/** Switching a fault on: what fails, how, and which requests. */
export function FaultDialog({
  choices,
  done,
  onClose,
}: {
  readonly choices: readonly FaultChoice[]
  readonly done: () => void
  readonly onClose: () => void
}) {
  const form = useSignal(EMPTY_FAULT)
  const change = (fields: Partial<FaultForm>) => {
    form.value = { ...form.value, ...fields }
  }
  const { operation, action } = form.value
  const actions = choices.find((choice) => choice.operation === operation)?.actions ?? []
  const spec = readFault(form.value)
  const act = async (reason: { readonly reason?: string }) => {
    if (!spec) throw new Error('fill the form first')
    const { id } = await post('/service/faults', { ...spec, ...reason })
    return `Fault ${id} is on: ${faultText(spec)}`
  }
  const choose = (chosen: string) => {
    const fitting = choices.find((choice) => choice.operation === chosen)?.actions ?? []
    change({ operation: chosen, ...(!fitting.includes(action) && { action: 'status' }) })
  }
  return (
    <ActDialog title="Switch a fault on" button="Switch it on" {...{ act, done, onClose }} ready={spec !== undefined}>
      <Choice
        label="Operation"
        value={operation}
        choices={choices.map((choice) => [choice.operation, choice.operation === '*' ? 'All' : choice.operation])}
        onChoice={choose}
      />
      <Choice
        label="What happens"
        value={action}
        choices={actions.map((one) => [one, ACTION_LABELS[one]])}
        onChoice={(chosen) => change({ action: chosen })}
      />
      <FaultDetails form={form.value} onChange={change} />
      <p aria-live="polite">
        {spec ? `${faultText(spec)}. ` : 'A number is missing. '}
        It lasts until it is switched off, or the service ends. Runs meet it too.
      </p>
    </ActDialog>
  )
}
