import { useSignal } from '@preact/signals'
import { formatNumber } from '../../../../core/format/figures.ts'
import { post } from '../../api/request.ts'
import type { Fault, FaultChoice } from '../../api/types.ts'
import { to } from '../../router/location.ts'
import { may } from '../../shell/me.ts'
import { ActButton, ActDialog, type Reason } from '../../ui/act-dialog.tsx'
import { Field, Select } from '../../ui/fields.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { DialogButton } from '../../ui/modal.tsx'
import { Empty } from '../../ui/notice.tsx'
import { actsColumn, type Column, Rows } from '../../ui/table.tsx'
import { ACTION_LABELS, faultText, isUsedUp } from './fault-text.ts'
import { EMPTY_FAULT, type FaultForm, readFault } from './read-fault.ts'
import { ServicePage, useServiceRead } from './service-page.tsx'

/** The faults: requests that fail on purpose. */
export function FaultsPage() {
  const read = useServiceRead('service.faults.list', {})
  const { data } = read
  const actions = data && may('operator') && (
    <DialogButton class="primary" text="Switch a fault on…" dialog={() => <FaultDialog choices={data.operations} />} />
  )
  return (
    <ServicePage title="Faults" actions={actions}>
      <Loaded read={read} rows={4}>
        {({ faults }) =>
          faults.length === 0 ? (
            <Empty>No fault is switched on: every request gets its normal response.</Empty>
          ) : (
            <>
              <p class="muted under-tabs">
                If several faults apply, the oldest is used. All faults end when the service ends.
              </p>
              <Rows label="Faults" rows={faults} columns={COLUMNS} keyOf={({ id }) => id} />
            </>
          )
        }
      </Loaded>
    </ServicePage>
  )
}

const COLUMNS: readonly Column<Fault>[] = [
  ['Fault', ({ id }) => id],
  [
    'What it does',
    (fault) => (
      <>
        {textOf(fault)}
        {isUsedUp(fault) && <span class="chip">used up</span>}
      </>
    ),
    'text',
  ],
  [
    'Matching requests',
    ({ operation, seen }) => (
      <a class="figure" href={to('/service/requests', operation === '*' ? {} : { operation })}>
        {formatNumber(seen)}
        <span class="hidden"> requests</span>
      </a>
    ),
    'right',
  ],
  ['Applied to', ({ applied }) => formatNumber(applied), 'right figure'],
  actsColumn((fault) => <OffButton fault={fault} />),
]

function textOf({ retryAfter, ...fault }: Fault): string {
  return faultText({ ...fault, retryAfter: retryAfter === undefined ? undefined : String(retryAfter) })
}

function OffButton({ fault }: { fault: Fault }) {
  const act = async (reason: Reason) => {
    const { id } = await post('service.faults.remove', { fault: fault.id, ...reason })
    return `Fault ${id} is off`
  }
  const texts = { text: 'Switch off…', about: fault.id, title: `Switch fault ${fault.id} off` }
  return (
    <ActButton {...texts} button="Switch it off" act={act}>
      <p>{textOf(fault)}.</p>
      <p>
        Requests are answered as usual again, unless another fault applies to them. The counts of this fault are
        forgotten.
      </p>
    </ActButton>
  )
}

/** Switches a fault on. Asks what fails, how it fails, and for which requests. */
function FaultDialog({ choices }: { choices: readonly FaultChoice[] }) {
  const form = useSignal(EMPTY_FAULT)
  const change = (fields: Partial<FaultForm>) => {
    form.value = { ...form.value, ...fields }
  }
  const { operation, action } = form.value
  const actionsOf = (wanted: string) => choices.find((choice) => choice.operation === wanted)?.actions ?? []
  const spec = readFault(form.value)
  const act = async (reason: Reason) => {
    if (!spec) throw new Error('fill in the form first')
    const { id } = await post('service.faults.add', { ...spec, ...reason })
    return `Fault ${id} is on: ${faultText(spec)}`
  }
  return (
    <ActDialog title="Switch a fault on" button="Switch it on" act={act} ready={spec !== undefined}>
      <Select
        label="Operation"
        value={operation}
        choices={choices.map((choice) => [choice.operation, choice.operation === '*' ? 'All' : choice.operation])}
        onChoice={(chosen) =>
          change({ operation: chosen, action: actionsOf(chosen).includes(action) ? action : 'status' })
        }
      />
      <Select
        label="What happens"
        value={action}
        choices={actionsOf(operation).map((one) => [one, ACTION_LABELS[one]])}
        onChoice={(chosen) => change({ action: chosen })}
      />
      <ActionDetails form={form.value} change={change} />
      <WhichRequests form={form.value} change={change} />
      <p aria-live="polite">
        {spec ? `${faultText(spec)}. ` : 'A number is missing. '}
        It stays on until it is switched off or the service ends. It also affects runs.
      </p>
    </ActDialog>
  )
}

interface PartProps {
  form: FaultForm
  change: (fields: Partial<FaultForm>) => void
}

function ActionDetails(part: PartProps) {
  const { action, garbage } = part.form
  if (action === 'status')
    return (
      <>
        <Typed {...part} name="status" label="Status, 400 to 599" />
        <Typed
          {...part}
          name="retryAfter"
          label="Retry-After, in seconds or as a date"
          placeholder="none"
          inputMode="text"
        />
      </>
    )
  if (action === 'delay' || action === 'lag') return <Typed {...part} name="seconds" label="Seconds" />
  if (action !== 'garbage') return null
  return (
    <Select
      label="The answer is"
      value={garbage}
      choices={[
        ['html', 'a page of HTML'],
        ['json', 'JSON that breaks off'],
      ]}
      onChoice={(chosen) => part.change({ garbage: chosen })}
    />
  )
}

function WhichRequests(part: PartProps) {
  const { which } = part.form
  return (
    <>
      <Select
        label="Which requests"
        value={which}
        choices={[
          ['every', 'every one'],
          ['nth', 'those from a given number onwards'],
          ['share', 'a share of them'],
        ]}
        onChoice={(chosen) => part.change({ which: chosen })}
      />
      {which === 'nth' && <Typed {...part} name="nth" label="The number of the first request, counted from now" />}
      {which === 'share' && <Typed {...part} name="percent" label="Percent of the requests" />}
      <Typed {...part} name="times" label="How often, at most" placeholder={which === 'nth' ? 'once' : 'without end'} />
    </>
  )
}

interface TypedProps extends PartProps {
  name: 'status' | 'retryAfter' | 'seconds' | 'nth' | 'percent' | 'times'
  label: string
  placeholder?: string
  inputMode?: 'text' | 'decimal'
}

/** A field of the form whose value is typed: a short text, usually a number. */
function Typed({ name, form, change, inputMode = 'decimal', ...texts }: TypedProps) {
  const field = { value: form[name], inputMode, autocomplete: 'off', maxLength: 40 } as const
  return <Field {...texts} {...field} onText={(text) => change({ [name]: text })} />
}
