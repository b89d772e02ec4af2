import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { place, to } from '../router/location.ts'
import { Icon } from '../ui/icon.tsx'
import { me } from './me.ts'
import { overview } from './overview.ts'
import { PAGES } from './pages.ts'
import { SideFoot } from './side-foot.tsx'

/**
 * The menu. On every page it shows how many things need attention from a person. On a narrow screen a button opens it.
 */
export function Side() {
  const waiting = overview.value.data?.needsYou.length ?? 0
  const here = place.value.path
  const isOpen = useSignal(false)
  const opener = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    isOpen.value = false
  }, [here])
  useEffect(() => {
    if (!isOpen.value) return
    const close = ({ key, defaultPrevented }: KeyboardEvent) => {
      if (key !== 'Escape' || defaultPrevented || document.querySelector('dialog[open]')) return
      isOpen.value = false
      opener.current?.focus()
    }
    addEventListener('keydown', close)
    return () => removeEventListener('keydown', close)
  }, [isOpen.value])
  return (
    <header class={isOpen.value ? 'side open' : 'side'}>
      <a class="brand" href={to('/')}>
        <Mark />
        Audience
      </a>
      <button
        type="button"
        class="menu-button"
        ref={opener}
        aria-expanded={isOpen.value}
        aria-controls="menu"
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        Menu
        {waiting > 0 && (
          <span class="count wait">
            {waiting}
            <span class="hidden"> {waiting === 1 ? 'needs' : 'need'} you</span>
          </span>
        )}
      </button>
      <nav class="menu" id="menu" aria-label="Pages">
        {PAGES.filter(({ path }) => isThere(path)).map(({ path, text, icon }) => (
          <a key={path} href={to(path)} aria-current={isAt(path, here) ? 'page' : undefined}>
            <Icon name={icon} />
            {text}
            {path === '/' && waiting > 0 && <span class="count wait">{waiting}</span>}
          </a>
        ))}
      </nav>
      <SideFoot />
    </header>
  )
}

/** Whether this console has a given page. Not every console has deployments or the embedded service. */
function isThere(path: string): boolean {
  if (path === '/service') return me.value?.synthetic === true
  return path !== '/deployment' || me.value?.deploys === true
}

function isAt(path: string, here: string): boolean {
  return path === '/' ? here === '/' : here === path || here.startsWith(`${path}/`)
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#3b52c4" />
      <g fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round">
        <path d="M8 10h7a4 4 0 0 1 4 4v4a4 4 0 0 0 4 4h1M8 22h5" />
      </g>
      <g fill="#fff">
        <circle cx="8" cy="10" r="2.4" />
        <circle cx="8" cy="22" r="2.4" />
        <circle cx="24" cy="22" r="2.4" />
      </g>
    </svg>
  )
}
