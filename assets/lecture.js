// Tells the server how far a member is in a lecture, and offers to go on there. Without this script lectures are read and
// completed as well. The time in the player of another host cannot be read, so with one the text of the lecture counts.
const lecture = document.querySelector('[data-position-url]')
const { positionUrl, position: known, length } = lecture.dataset
const video = lecture.querySelector('video')
const text = lecture.querySelector('.prose, .as-written')
const SHORTEST_PAUSE = 15_000

let position = Number(known)
let told = position
let toldAt = performance.now()
let waiting

if (video !== null) follow()
else if (text !== null && text.offsetHeight > innerHeight) read()

addEventListener('pagehide', tell)
// Phones end a page in the background without another word.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') tell()
})

/** At the end it begins again. */
function follow() {
  video.addEventListener('timeupdate', () => move(video.ended ? 0 : video.currentTime))
}

/** A place in a text is told in seconds, too: as a share of the time that the text takes. */
function read() {
  const bottom = () => text.offsetHeight - innerHeight
  if (position > 0) {
    const offer = lecture.querySelector('[data-go-on]')
    offer.hidden = false
    offer.querySelector('button').addEventListener('click', () => {
      const share = Math.min(known / length, 1)
      const top = scrollY + text.getBoundingClientRect().top
      scrollTo(scrollX, top + share * bottom())
      takeFocus()
    })
  }
  addEventListener(
    'scroll',
    () => {
      const share = -text.getBoundingClientRect().top / Math.max(bottom(), 1)
      move(share >= 1 ? 0 : Math.max(share, 0) * length)
    },
    { passive: true },
  )
}

/** Keyboards and screen readers go on at the part of the text that is now in sight. */
function takeFocus() {
  const part = [...text.children].find((child) => child.getBoundingClientRect().bottom > 0) ?? text
  part.tabIndex = -1
  part.focus({ preventScroll: true })
}

function move(seconds) {
  position = Math.floor(seconds)
  waiting ??= setTimeout(tell, Math.max(0, toldAt + SHORTEST_PAUSE - performance.now()))
}

/** A beacon also arrives when the page is left. */
function tell() {
  clearTimeout(waiting)
  waiting = undefined
  if (position === told) return
  const form_token = document.querySelector('[name=form_token]').value
  const body = new URLSearchParams({ form_token, position_seconds: position })
  if (!navigator.sendBeacon(positionUrl, body)) return
  told = position
  toldAt = performance.now()
}
