// Shows the buttons that copy a text and makes them work. Where a browser gives no clipboard to the page, and without
// this script, they stay hidden and people select the text themselves.
const told = document.getElementById('copied')

if (navigator.clipboard !== undefined) {
  for (const button of document.querySelectorAll('button[data-copies]')) {
    button.hidden = false
    button.addEventListener('click', () => copy(button))
  }
}

async function copy(button) {
  const text = document.getElementById(button.dataset.copies).textContent
  try {
    await navigator.clipboard.writeText(text)
    tell(button, 'Copied')
  } catch {
    tell(button, 'Select the text to copy it')
  }
}

/** On the button, and in the line that screen readers read aloud. */
function tell(button, words) {
  const label = button.querySelector('span')
  label.textContent = words
  told.textContent = words
  setTimeout(() => {
    label.textContent = 'Copy'
    told.textContent = ''
  }, 2500)
}
