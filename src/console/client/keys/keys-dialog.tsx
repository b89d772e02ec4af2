import { PAGES } from '../shell/pages.ts'
import { Dialog } from '../ui/modal.tsx'

const KEYS: readonly (readonly [keys: readonly string[], what: string])[] = [
  ...PAGES.map(({ key, about }) => [['g', key], about] as const),
  [['/'], 'search'],
  [['j'], 'next row'],
  [['k'], 'previous row'],
  [['Enter'], 'open the row'],
  [['Esc'], 'close a dialog'],
  [['?'], 'these keys'],
]

/** The dialog that lists the keys. */
export function KeysDialog() {
  return (
    <Dialog title="Keys">
      <div class="dialog-body">
        <dl class="keys">
          {KEYS.map(([keys, what]) => (
            <div class="key-row" key={what}>
              <dt>
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <p class="muted">No key decides anything by itself: each action has a dialog with a button.</p>
      </div>
    </Dialog>
  )
}
