import { SignOutDialog } from '../actions/sign-out-dialog.tsx'
import { isHelpOpen } from '../keys/keyboard.ts'
import { connection } from '../live/connection.ts'
import { chooseTheme, THEMES, theme } from '../theme.ts'
import { chooseZone, zone, zoneNames } from '../time/zone.ts'
import { openModal } from '../ui/modal.tsx'
import { me } from './me.ts'

const THEME_TEXTS = { auto: 'As the system', light: 'Light', dark: 'Dark' } as const
const LINK_TEXTS = { live: 'Live', connecting: 'Connecting', lost: 'No connection' } as const
const LINK_TONES = { live: 'good', connecting: '', lost: 'bad' } as const

/** What holds for all pages: the zone, the theme, the connection, and who this is. */
export function SideFoot() {
  const who = me.value
  const { state } = connection.value
  return (
    <div class="side-foot">
      <label>
        Time zone
        <select value={zone} onChange={({ currentTarget }) => chooseZone(currentTarget.value)}>
          {zoneNames().map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label>
        Theme
        <select
          value={theme}
          onChange={({ currentTarget }) => {
            const chosen = THEMES.find((name) => name === currentTarget.value)
            if (chosen) chooseTheme(chosen)
          }}
        >
          {THEMES.map((name) => (
            <option key={name} value={name}>
              {THEME_TEXTS[name]}
            </option>
          ))}
        </select>
      </label>
      <div class="row">
        <span class={`live ${LINK_TONES[state]}`}>{LINK_TEXTS[state]}</span>
        <button
          type="button"
          class="bare"
          onClick={() => {
            isHelpOpen.value = true
          }}
        >
          Keys <kbd>?</kbd>
        </button>
      </div>
      {who?.synthetic && (
        <span class="chip wait" title="The embedded service: its people and all figures are synthetic">
          synthetic data
        </span>
      )}
      {who && (
        <div class="row">
          <span class="break" title={`version ${who.version}`}>
            <bdi>{who.by}</bdi>, {who.role}
            {who.readOnly && ', read only'}
          </span>
          {who.via === 'session' && (
            <button
              type="button"
              class="bare"
              onClick={() => openModal((onClose) => <SignOutDialog by={who.by} onClose={onClose} />)}
            >
              Sign out…
            </button>
          )}
        </div>
      )}
    </div>
  )
}
