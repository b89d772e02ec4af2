import { place, setQuery } from '../router/location.ts'

interface TabsProps<Name extends string> {
  /** The name of the query field. */
  name: string
  tabs: readonly (readonly [id: Name, text: string])[]
  chosen: Name
}

/** The views of a page as links. The shown view is in the URL. */
export function Tabs<Name extends string>({ name, tabs, chosen }: TabsProps<Name>) {
  const first = tabs[0]?.[0]
  return (
    <nav class="tabs" aria-label="Views">
      {tabs.map(([id, text]) => (
        <a
          key={id}
          href={`?${withField(name, id === first ? '' : id)}`}
          aria-current={id === chosen ? 'page' : undefined}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return
            event.preventDefault()
            setQuery({ [name]: id === first ? '' : id }, {})
          }}
        >
          {text}
        </a>
      ))}
    </nav>
  )
}

function withField(name: string, value: string): string {
  const query = new URLSearchParams(place.value.query)
  if (value === '') query.delete(name)
  else query.set(name, value)
  return query.toString()
}
