import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

export interface PageProps {
  title: string
  lead?: ComponentChildren
  actions?: ComponentChildren
  children: ComponentChildren
}

/** A page. Its title is the heading and the title of the tab. When the page is opened, the heading gets the focus. */
export function Page({ title, lead, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Audience`
  }, [title])
  useEffect(() => {
    if (!document.activeElement || document.activeElement === document.body) return
    if (!document.activeElement.closest('main')) heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <>
      <header class="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            <bdi>{title}</bdi>
          </h1>
          {lead !== undefined && <div class="lead">{lead}</div>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  )
}

interface SectionProps {
  title: string
  count?: number | undefined
  aside?: ComponentChildren
  children: ComponentChildren
}

/** A part of a page with a heading. */
export function Section({ title, count, aside, children }: SectionProps) {
  return (
    <section class="section">
      <div class="section-head">
        <h2>
          {title}
          {count !== undefined && count > 0 && <span class="count">{count}</span>}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  )
}
