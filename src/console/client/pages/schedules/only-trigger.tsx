import { place, setQuery } from '../../router/location.ts'

/** The only pipeline or trigger that a page shows, from the URL. */
export function chosenTrigger() {
  const { query } = place.value
  return { pipeline: query.get('pipeline') || undefined, trigger: query.get('trigger') || undefined }
}

/** Says that a page shows only one pipeline or trigger. The button `all` shows all again. */
export function OnlyTrigger({ all }: { all: string }) {
  const { pipeline, trigger } = chosenTrigger()
  if (pipeline === undefined) return null
  return (
    <>
      <span>Only {[pipeline, trigger].filter(Boolean).join('/')}</span>
      <button type="button" class="link" onClick={() => setQuery({ pipeline: '', trigger: '' })}>
        {all}
      </button>
    </>
  )
}
