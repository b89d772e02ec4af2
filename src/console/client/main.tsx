import { Fragment, options, render } from 'preact'
import { takeSession } from './api/session.ts'
import { ConsoleApp } from './console-app.tsx'
import { startKeyboard } from './keys/keyboard.tsx'
import { startSharedStream } from './live/shared-stream.ts'
import { startRouter } from './router/location.ts'
import { startTheme } from './theme.ts'
import { startClock } from './time/now.ts'
import { showMarks } from './ui/visible-marks.ts'

takeSession()
// This makes invisible characters visible in all text on all pages, no matter who wrote the text.
options.vnode = ({ type, props }) => {
  if (typeof type === 'string' || type === Fragment) showMarks(props)
}
startTheme()
startRouter()
startClock()
startKeyboard()
startSharedStream()
const root = document.getElementById('app')
if (root) render(<ConsoleApp />, root)
