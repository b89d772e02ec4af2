/** 16 × 16, drawn with a stroke of the text's colour. */
const PATHS = {
  home: 'M2.5 7.5 8 3l5.5 4.5V13a.5.5 0 0 1-.5.5h-3V10H6v3.5H3a.5.5 0 0 1-.5-.5z',
  runs: 'M5 3.5v9l7-4.5z',
  pipelines:
    'M4 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zm0 8a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zm8-4a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM5.5 4H7a3 3 0 0 1 3 3m-4.5 5H7a3 3 0 0 0 3-3',
  schedules: 'M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM8 5v3l2 1.5',
  files: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3',
  deployment: 'M8 13.5V7m0 0L5.5 9.5M8 7l2.5 2.5M2.5 4.5h11v-2h-11z',
  service: 'M2.5 3h11v4h-11zm0 6h11v4h-11zM5 5h.1M5 11h.1',
  system: 'M2.5 8h2.5l1.5-4.5 3 9L11 8h2.5',
  check: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM5.4 8.2l1.8 1.8 3.4-3.8',
  cross: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM6 6l4 4m0-4-4 4',
  person: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM6.5 5.8v4.4m3-4.4v4.4',
  running: 'M14 8A6 6 0 1 1 8 2',
  queued: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM5.2 8h.1m2.650 0h.1m2.650 0h.1',
  slash: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM4 12l8-8',
  skip: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM5.5 8h5',
  warning: 'M8 2.5 14 13H2zM8 6.5v3m0 1.7v.1',
  copy: 'M5.5 5.5h7v8h-7zM3.5 10.5v-8h7',
  chevron: 'M6 4l4 4-4 4',
  close: 'M4 4l8 8m0-8-8 8',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3 13.5 13.5',
} as const

export type IconName = keyof typeof PATHS

/** A picture next to a text. It is hidden from screen readers, because the text says the same. */
export function Icon({ name, spins = false }: { name: IconName; spins?: boolean }) {
  return (
    <svg class={spins ? 'icon spins' : 'icon'} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
