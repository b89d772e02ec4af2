import { useSignal } from '@preact/signals'
import { post } from '../api/request.ts'
import { forgetSession } from '../api/session.ts'
import type { Me } from '../api/types.ts'
import { KeysDialog } from '../keys/keys-dialog.tsx'
import { connection } from '../live/shared-stream.ts'
import { chooseTheme, THEMES, theme } from '../theme.ts'
import { chooseZone, zone, zoneNames } from '../time/zone.ts'
import { ActDialog, type Reason } from '../ui/act-dialog.tsx'
import { CheckField, Select } from '../ui/fields.tsx'
import { DialogButton, openModal } from '../ui/modal.tsx'
import { me } from './me.ts'

const THEME_TEXTS = { auto: 'As the system', light: 'Light', dark: 'Dark' } as const
const LINK_TEXTS = { live: 'Live', connecting: 'Connecting', lost: 'No connection' } as const
const LINK_TONES = { live: 'good', connecting: '', lost: 'bad' } as const

/** The foot of the menu: the time zone, the theme, the connection, and who is signed in. */
export function SideFoot() {
  const who = me.value
  const { state } = connection.value
  return (
    <div class="side-foot">
      <Select label="Time zone" class="" value={zone.value} choices={zoneNames()} onChoice={chooseZone} />
      <Select
        label="Theme"
        class=""
        value={theme.value}
        choices={THEMES.map((name) => [name, THEME_TEXTS[name]])}
        onChoice={chooseTheme}
      />
      <div class="row">
        <span class={`status live ${LINK_TONES[state]}`}>{LINK_TEXTS[state]}</span>
        <button type="button" class="bare" onClick={() => openModal(<KeysDialog />)}>
          Keys <kbd>?</kbd>
        </button>
      </div>
      {who?.synthetic && (
        <span class="chip wait" title="The embedded service: its people and all figures are synthetic">
          synthetic data
        </span>
      )}
      {who && <Person who={who} />}
    </div>
  )
}

function Person({ who: { by, role, readOnly, via, version } }: { who: Me }) {
  return (
    <div class="row">
      <span class="break" title={`version ${version}`}>
        <bdi>{by}</bdi>, {role}
        {readOnly && ', read only'}
      </span>
      {via === 'session' && <DialogButton text="Sign out…" class="bare" dialog={() => <SignOutDialog by={by} />} />}
    </div>
  )
}

/** Ends the session of this browser, or all sessions of a person. */
function SignOutDialog({ by }: { by: string }) {
  const everywhere = useSignal(false)
  const act = async (reason: Reason) => {
    await post('session.end', { everywhere: everywhere.value, ...reason })
    forgetSession()
    return 'Signed out'
  }
  return (
    <ActDialog title="Sign out" button="Sign out" act={act}>
      <p>
        <code>audience console</code> makes a link that signs in again. Runs continue.
      </p>
      <CheckField value={everywhere}>
        <span>
          Everywhere: every browser in which <bdi>{by}</bdi> is signed in
        </span>
      </CheckField>
    </ActDialog>
  )
}
