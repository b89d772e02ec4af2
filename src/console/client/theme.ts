import { effect, signal } from '@preact/signals'
import { readChoice, writeChoice } from './choices.ts'

export const THEMES = ['auto', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

export const theme = signal<Theme>(THEMES.find((name) => name === readChoice('theme')) ?? 'auto')

export function chooseTheme(name: Theme): void {
  theme.value = name
  writeChoice('theme', name === 'auto' ? '' : name)
}

export function startTheme(): void {
  effect(() => {
    document.documentElement.dataset.theme = theme.value
  })
}
