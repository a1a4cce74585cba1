// Shows the colours of the form in the preview while they are chosen. Without this script the button Preview does it.
const sheet = document.querySelector('link[data-preview]')
const checks = document.querySelector('.checks')
const fields = {
  primary: document.getElementById('primary_color'),
  accent: document.getElementById('accent_color'),
}

/** The request for the latest colours: a person who moves through a palette chooses many. */
let waiting

for (const field of Object.values(fields)) field.addEventListener('input', show)

function show() {
  const { primary, accent } = fields
  // The words about contrast belong to the colours that the server saw.
  checks.hidden = true
  clearTimeout(waiting)
  waiting = setTimeout(() => {
    const shown = document.querySelectorAll('link[data-preview]')
    const next = sheet.cloneNode()
    const query = new URLSearchParams({ primary: primary.value, accent: accent.value })
    next.href = `${new URL(sheet.href).pathname}?${query}`
    next.addEventListener('load', () => {
      for (const old of shown) old.remove()
    })
    shown[shown.length - 1].after(next)
  }, 100)
}
