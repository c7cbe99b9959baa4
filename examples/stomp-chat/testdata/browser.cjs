// Two browsers on the chat page at the URL of the first argument: what one says both see, also the picture in the file of
// the second argument. The third is where a picture of the page goes.
'use strict';
const { chromium } = require('playwright-core');

async function open(browser, url, name) {
  const page = await browser.newPage();
  page.setDefaultTimeout(20000);
  const errors = [];
  const types = [];
  const others = [];
  page.on('pageerror', (e) => errors.push(e.message));
  page.on('console', (m) => { if (m.type() === 'error') errors.push(m.text()); });
  page.on('request', (r) => { if (!/^(blob|data):/.test(r.url()) && !r.url().startsWith(url)) others.push(r.url()); });
  page.on('websocket', (s) => s.on('framereceived', (f) => types.push(typeof f.payload === 'string' ? 'text' : 'binary')));
  await page.goto(url);
  await enter(page, name, 'lobby');
  return { page, errors, types, others };
}

async function enter(page, name, room) {
  await page.locator('#name').fill(name);
  await page.locator('#room').fill(room);
  await page.getByRole('button', { name: 'Enter' }).click();
  await page.locator('#log').getByText(`in ${room} by STOMP 1.2`).waitFor();
}

async function say(from, to, text) {
  await from.page.locator('#text').fill(text);
  await from.page.getByRole('button', { name: 'Send' }).click();
  for (const { page } of [from, to]) await page.locator('#log').getByText(text, { exact: false }).waitFor();
}

async function main() {
  const [url, given, picture] = process.argv.slice(2);
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    const one = await open(browser, url, 'Ann');
    const other = await open(browser, url, 'Grüße: Ben');
    await say(one, other, 'hello from a browser');
    await say(other, one, 'Привет <b>&amp; \u{1f600} \\n: done');
    const before = other.types.filter((t) => t === 'binary').length;
    await one.page.locator('#picture').setInputFiles(given);
    for (const { page } of [one, other]) {
      await page.waitForFunction(() => { const i = document.querySelector('#log img'); return i && i.complete && i.naturalWidth === 64; });
    }
    if (other.types.filter((t) => t === 'binary').length !== before + 1) throw new Error('the picture is no binary message: ' + other.types);
    if (other.types.filter((t) => t === 'text').length < 2) throw new Error('the texts are no text messages: ' + other.types);
    await one.page.screenshot({ path: picture });

    // Another room is another destination.
    await enter(other.page, 'Ben', 'kitchen');
    await one.page.locator('#text').fill('only for the lobby');
    await one.page.keyboard.press('Enter');
    await one.page.locator('#log').getByText('only for the lobby').waitFor();
    await say(other, other, 'only for the kitchen');
    if (await other.page.getByText('only for the lobby').count() > 0) throw new Error('rooms are mixed up');

    // A browser asks for /favicon.ico by itself.
    const errors = [...one.errors, ...other.errors].filter((e) => !e.includes('favicon') && !e.includes('404'));
    if (errors.length > 0) throw new Error(errors.join('\n'));
    const others = [...one.others, ...other.others];
    if (others.length > 0) throw new Error('requests to others: ' + others);
  } finally {
    await browser.close();
  }
}

main().then(() => console.log('done'), (err) => { console.error(err); process.exit(1); });
