import { go, withQuery } from '../router/location.ts'

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
      {tabs.map(([id, text]) => {
        const address = withQuery({ [name]: id === first ? '' : id })
        // Does not scroll to the top of the page, as other links do.
        const show = (event: MouseEvent) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return
          event.preventDefault()
          go(address)
        }
        return (
          <a key={id} href={address} aria-current={id === chosen ? 'page' : undefined} onClick={show}>
            {text}
          </a>
        )
      })}
    </nav>
  )
}
