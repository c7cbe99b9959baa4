// The hub's page at the URL of the first argument in two browsers: messages of one are seen by both, and the report is kept
// up to date. The second argument is where a picture of the page goes.
'use strict';
const { chromium } = require('playwright-core');

async function open(browser, url) {
  const page = await browser.newPage();
  page.setDefaultTimeout(20000);
  const errors = [];
  const others = [];
  page.on('pageerror', (e) => errors.push(e.message));
  page.on('console', (m) => { if (m.type() === 'error') errors.push(m.text()); });
  page.on('request', (r) => { if (!r.url().startsWith(url)) others.push(r.url()); });
  await page.goto(url);
  await page.getByText('STOMP 1.2 over WebSocket', { exact: true }).waitFor();
  await page.getByText('live over WebSocket', { exact: true }).waitFor();
  return { page, errors, others };
}

async function main() {
  const [url, picture] = process.argv.slice(2);
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    const one = await open(browser, url);
    const other = await open(browser, url);
    await one.page.locator('#text').fill('Grüße <b>&amp; \u{1f600}');
    await one.page.getByRole('button', { name: 'Send' }).click();
    for (const { page } of [one, other]) await page.locator('#messages').getByText('/topic/demo: Grüße <b>&amp; \u{1f600}').waitFor();
    // So is what goes to other topics.
    await other.page.locator('#to').fill('/topic/other');
    await other.page.locator('#text').fill('elsewhere');
    await other.page.keyboard.press('Enter');
    for (const { page } of [one, other]) await page.locator('#messages').getByText('/topic/other: elsewhere').waitFor();
    await one.page.locator('#report').getByText('/topic/#').first().waitFor();
    // Both kinds of WebSocket of both pages come up in the report.
    await one.page.waitForFunction(() => {
      const shown = [...document.querySelectorAll('#report td')].map((td) => td.textContent);
      return ['WebSocket', 'STOMP over WebSocket'].every((p) => shown.filter((s) => s === p).length >= 2);
    });
    await one.page.screenshot({ path: picture, fullPage: true });
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
