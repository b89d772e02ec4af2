import { setQuery } from '../../router/location.ts'

interface OnlyTriggerProps {
  pipeline: string
  trigger: string | undefined
  /** The text of the link, such as `All folders`. */
  all: string
}

/** Says that a page shows only one pipeline or trigger, and links to all. */
export function OnlyTrigger({ pipeline, trigger, all }: OnlyTriggerProps) {
  return (
    <>
      <span>Only {[pipeline, trigger].filter(Boolean).join('/')}</span>
      <button type="button" class="link" onClick={() => setQuery({ pipeline: '', trigger: '' })}>
        {all}
      </button>
    </>
  )
}
