// Passkeys: asks the device, puts its answer into a hidden field and sends the form. Without this script, or in a browser
// that cannot do it, the buttons stay hidden and people use their password.
const Credential = window.PublicKeyCredential
const isAble = typeof Credential?.parseRequestOptionsFromJSON === 'function'

/** The request that waits in the autofill of a field; a browser allows one request at a time. */
let waiting = new AbortController()

for (const button of isAble ? document.querySelectorAll('[data-passkey]') : []) {
  const { passkey: kind, passkeyWaits: waits } = button.dataset
  const device = kind === 'make' ? making(button) : proving(button)
  button.hidden = false
  document.getElementById('passkey-unable')?.remove()
  button.addEventListener('click', () => ask(button, device))
  if (waits !== undefined) wait(button, device)
}
if (isAble) signal()

function proving({ dataset }) {
  const options = Credential.parseRequestOptionsFromJSON(JSON.parse(dataset.passkeyOptions))
  return {
    isPatient: async () => await Credential.isConditionalMediationAvailable?.(),
    ask: (how) => navigator.credentials.get({ publicKey: options, ...how }),
  }
}

function making({ dataset }) {
  const options = Credential.parseCreationOptionsFromJSON(JSON.parse(dataset.passkeyOptions))
  return {
    isPatient: async () => (await Credential.getClientCapabilities?.())?.conditionalCreate,
    ask: (how) => navigator.credentials.create({ publicKey: options, ...how }),
  }
}

/** The person chose the button. */
async function ask(button, device) {
  waiting.abort()
  tell('')
  try {
    send(button, await device.ask({}))
  } catch (error) {
    tell(button.dataset[error.name === 'InvalidStateError' ? 'passkeyKnown' : 'passkeyCancelled'])
    if (button.dataset.passkey === 'prove') wait(button, device)
  }
}

/** Without a question to the person: in the list of a field, or, after a password, in the password manager. */
async function wait(button, device) {
  waiting = new AbortController()
  const { signal } = waiting
  try {
    if ((await device.isPatient()) && !signal.aborted) {
      send(button, await device.ask({ mediation: 'conditional', signal }))
    }
  } catch {
    // None was chosen or made. The page goes on as it is.
  }
}

function send({ form, dataset }, credential) {
  for (const field of form.querySelectorAll('[type=password]')) field.disabled = true
  form.elements.namedItem('passkey').value = JSON.stringify(credential)
  form.action = dataset.passkeyAction
  form.submit()
}

function tell(words) {
  document.getElementById('passkey-told').textContent = words
}

/** Tells the browser which passkeys exist, so that it stops offering the others. */
function signal() {
  const known = document.querySelector('[data-passkeys-known]')?.dataset.passkeysKnown
  const unknown = document.querySelector('[data-passkey-unknown]')?.dataset.passkeyUnknown
  const told = [
    known && Credential.signalAllAcceptedCredentials?.(JSON.parse(known)),
    unknown && Credential.signalUnknownCredential?.(JSON.parse(unknown)),
  ]
  Promise.allSettled(told)
}
