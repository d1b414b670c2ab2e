"""Pages in a browser without a window, used as a person uses them: what they give is what Python gives."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from graph_program import Float32, Int64, Tensor, graph_program
from graph_program.samples import coins
from tests.models.agreement import loaded
from tests.pages import programs
from tests.pages.browser import Opened
from tests.pages.inputs import COLOURS, GREY, TONE
from tests.pages.made import given

Open = Callable[..., Opened]


def array(page: Opened, label: str) -> Any:
    return np.load(page.array(label))


def button(page: Opened, text: str) -> None:
    """Press the button with a text, when it is there."""
    found = f"[...document.querySelectorAll('button')].find((one) => one.innerText === {json.dumps(text)})"
    page.wait(f"Boolean({found})")
    page.value(f"{found}.click()")


# Numbers


def test_floats_below_0_as_bytes(opened: Open) -> None:
    """onnxruntime-web makes 0 of them where nobody writes the cast in other words."""
    page = opened(programs.octets)
    page.type("level", "-3.0")
    page.run()
    np.testing.assert_array_equal(array(page, "result[0]"), np.array([253, 250], np.uint8))
    np.testing.assert_array_equal(array(page, "result[1]"), np.array([253], np.uint8))


# Pictures


def test_a_picture_that_is_grey(opened: Open, grey: Path) -> None:
    page = opened(programs.threshold)
    page.choose_for("photo", grey)
    page.run()
    np.testing.assert_array_equal(array(page, "result"), GREY > 128)
    assert page.view("result") == "mask" and page.text("#status").startswith("Ran in ")
    page.type("level", "1.5")
    page.run()
    assert page.text("#error") == "level: 1.5 is no integer" and page.text("#results") == ""


def test_a_picture_in_colours(opened: Open, coloured: Path) -> None:
    page = opened(programs.histogram)
    page.choose_for("photo", coloured)
    page.run()
    np.testing.assert_array_equal(array(page, "result"), programs.histogram.python(COLOURS))
    assert page.view("result") == "curve"
    page = opened(programs.main_colours)
    page.choose_for("photo", coloured)
    page.run()
    centres, nearest = programs.main_colours.python(COLOURS)
    np.testing.assert_array_equal(array(page, "result[0]"), centres)
    np.testing.assert_array_equal(array(page, "result[1]"), nearest)
    assert (page.view("result[0]"), page.view("result[1]")) == ("colours", "labels")


def test_a_picture_as_a_network_takes_it(opened: Open, coloured: Path) -> None:
    page = opened(programs.negative)
    page.choose_for("photo", coloured)
    page.run()
    levels = (COLOURS.transpose(2, 0, 1)[None].astype(np.float64) / 255).astype(np.float32)
    np.testing.assert_array_equal(array(page, "result"), 1 - levels)
    assert page.view("result") == "image"


def test_a_picture_that_is_more_than_white(opened: Open, grey: Path) -> None:
    page = opened(programs.brighter)
    page.choose_for("photo", grey)
    page.run()
    assert page.view("result") == "image" and "black is 0, white is 1.01" in page.text("figure")
    page = opened(programs.brighter, result="image:255")
    page.choose_for("photo", grey)
    page.run()
    pixels = "[...document.querySelector('figure canvas').getContext('2d').getImageData(0, 0, 80, 60).data]"
    assert (
        "white is" not in page.text("figure") and page.value(f"Math.max(...{pixels}.filter((_, i) => i % 4 < 3))") <= 1
    )


def test_levels_of_a_picture(opened: Open, grey: Path, tmp_path: Path) -> None:
    page = opened(programs.matrix, x="image:16")
    page.choose_for("x", grey)
    page.run()
    np.testing.assert_array_equal(array(page, "result"), (GREY / 255 * 16).astype(np.float32) * 2)
    np.save(tmp_path / "x.npy", np.full((9, 9), 16, np.float32))
    page.choose("[data-input=x]", tmp_path / "x.npy")
    page.wait("document.querySelector('canvas').width === 9")
    assert (
        page.value("[...document.querySelector('canvas').getContext('2d').getImageData(4, 4, 1, 1).data]") == [255] * 4
    )


def test_a_picture_of_another_size(opened: Open, grey: Path, tmp_path: Path) -> None:
    page = opened(programs.digit)
    page.choose_for("x", grey)
    assert "80 × 60 pixels, resized to 28 × 28" in page.text(".field")
    page.run()
    assert page.view("result['probabilities']") == "bars"
    assert abs(array(page, "result['probabilities']").sum() - 1) < 1e-6
    page = opened(programs.halved)
    Image.fromarray(GREY[:59, :79]).save(tmp_path / "odd.png")
    page.choose_for("image", tmp_path / "odd.png")
    assert "79 × 59 pixels, resized to 78 × 58" in page.text(".field")
    page.run()
    assert array(page, "result").shape == (29, 39)


def test_an_array_in_place_of_a_picture(opened: Open, tmp_path: Path) -> None:
    page = opened(programs.threshold)
    np.save(tmp_path / "photo.npy", np.asfortranarray(GREY))
    page.choose_for("photo", tmp_path / "photo.npy")
    page.run()
    np.testing.assert_array_equal(array(page, "result"), GREY > 128)
    np.save(tmp_path / "other.npy", GREY.astype(np.int16))
    page.choose("[data-input=photo]", tmp_path / "other.npy")
    page.wait("document.querySelector('.field [role=status]').innerText.includes('expected uint8')")


DROP = """
(() => {
  const bytes = Uint8Array.from(atob(%s), (letter) => letter.charCodeAt(0));
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([bytes], "dropped.png", { type: "image/png" }));
  const event = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
  document.querySelector("h1").dispatchEvent(event);
  return event.defaultPrevented;
})()
"""


def test_a_picture_that_is_dropped(opened: Open, grey: Path) -> None:
    page = opened(programs.threshold)
    assert page.value(DROP % json.dumps(base64.b64encode(grey.read_bytes()).decode()))
    page.wait("!document.querySelector('canvas').hidden")
    page.run()
    np.testing.assert_array_equal(array(page, "result"), GREY > 128)


def test_boxes_over_a_picture(opened: Open, grey: Path) -> None:
    page = opened(programs.light_rows)
    page.choose_for("image", grey)
    page.run()
    found, _ = programs.light_rows.python(GREY)
    assert page.results()["result"] == [[box._asdict() for box in found], [[1, 2, 10, 12], [5, 6, 30, 33]]]
    assert (page.view("result[0]"), page.view("result[1]")) == ("boxes", "boxes")


def test_the_camera(opened: Open) -> None:
    page = opened(programs.threshold)
    button(page, "Use the camera")
    button(page, "Take the picture")
    page.wait("!document.querySelector('canvas').hidden")
    page.run()
    assert array(page, "result").ndim == 2


def test_the_sample(opened: Open) -> None:
    photo = coins.drawn()
    page = opened(coins.count_coins, (photo, coins.Settings()))
    page.run()
    expected = coins.count_coins.python(photo, coins.Settings())
    assert page.result("result.count") == str(expected.count)
    np.testing.assert_array_equal(array(page, "result.labels"), expected.labels)
    np.testing.assert_array_equal(array(page, "result.outline"), expected.outline)
    assert (page.view("result.labels"), page.view("result.outline")) == ("labels", "mask")


# Sounds


def test_a_sound(opened: Open, tone: Path) -> None:
    page = opened(programs.pitch)
    page.type("rate", "8000")
    page.choose_for("sound", tone)
    assert "8000 samples, 1.00 s at 8000 Hz" in page.text(".group")
    page.run()
    sound = (TONE / 32768).astype(np.float32)
    assert page.result("result") == str(programs.pitch.python(sound, 8000))
    page.type("rate", "16000")
    page.wait("document.querySelector('.group').innerText.includes('16000 samples')")
    page.run()
    assert abs(float(page.result("result")) - 441) < 2


def test_a_sound_that_is_filtered(opened: Open, tone: Path) -> None:
    page = opened(programs.low_pass, signal="audio:8000")
    page.choose_for("signal", tone)
    page.run()
    np.testing.assert_allclose(array(page, "result"), programs.low_pass.python(TONE / 32768), rtol=1e-12)
    assert page.view("result") == "audio"


def test_parts_of_a_sound(opened: Open, tone: Path) -> None:
    page = opened(programs.loud_parts)
    page.choose_for("audio", tone)
    page.run()
    np.testing.assert_array_equal(array(page, "result"), programs.loud_parts.python(TONE))
    assert page.view("result") == "segments"


def test_the_microphone(opened: Open) -> None:
    page = opened(programs.pitch)
    button(page, "Record")
    page.wait("document.querySelector('.group').innerText.includes('recording')")
    page.value("new Promise((done) => setTimeout(done, 1500))")
    button(page, "Stop recording")
    page.wait("!document.querySelector('canvas').hidden")
    page.run()
    assert page.text("#error") == "" and float(page.result("result")) > 0


# Numbers, texts and arrays


def test_numbers_of_a_dataclass(opened: Open) -> None:
    page = opened(programs.convert)
    page.run()
    assert tuple(page.results()["result"]) == programs.convert.python(programs.Length())
    page.value("document.querySelector('[type=checkbox][data-input]').click()")
    page.type("length.value", "12")
    page.run()
    assert tuple(page.results()["result"]) == programs.convert.python(programs.Length(12.0, True))


def test_numbers_of_every_width(opened: Open) -> None:
    page = opened(programs.narrow)
    page.type("x", "[1, -2, 0.1]")
    page.type("flag", "[true, 0, False]")
    page.type("big", "1 2 18446744073709551614")
    page.run()
    x, flag = np.array([1, -2, 0.1], np.float16), np.array([True, False, False])
    chosen, big, total = programs.narrow.python(x, flag, np.array([1, 2, 2**64 - 2], np.uint64))
    np.testing.assert_array_equal(array(page, "result[0]"), chosen)
    np.testing.assert_array_equal(array(page, "result[1]"), big)
    assert page.result("result[2]") == str(total)
    for name, text, said in (
        ("big", "-1 1 1", "-1 is not within 0 to 18446744073709551615"),
        ("big", "1 1", "expected uint64 [n] with n=3 (from x), got (2,)"),
        ("x", "[[1, 2], [3]]", "the rows are of different lengths"),
        ("x", "[[1, 2]]", "expected float16 [n], got 2 dimensions: (1, 2)"),
        ("x", "[1, 2", "a bracket is not closed"),
        ("x", "[1, b]", "b is no number"),
    ):
        page.type(name, text)
        page.run()
        assert said in page.text("#error")


def test_complex_numbers(opened: Open) -> None:
    page = opened(programs.turned, (1 + 2j,))
    for imag in (2.0, -0.0, float("nan")):
        page.type("z.imag", str(imag))
        page.run()
        assert page.result("result") == str(programs.turned.python(complex(1.0, imag)))


def test_sizes_that_do_not_go_together(opened: Open) -> None:
    page = opened(programs.product)
    page.type("x", "[[1, 2], [3, 4]]")
    page.type("v", "[1, 1]")
    page.run()
    np.testing.assert_array_equal(array(page, "result"), np.float32([3, 7]))
    page.type("v", "[1]")
    page.run()
    assert page.text("#error") == "v: expected float32 [n] with n=2 (from x), got (1,)"


def test_names_that_javascript_has(opened: Open) -> None:
    page = opened(programs.named)
    page.type("__proto__", "[1, 2]")
    page.run()
    np.testing.assert_array_equal(array(page, "result['__proto__']"), np.float32([14, 4]))
    assert page.result("result['toString']") == "1"
    assert page.value("document.querySelector('[data-input=__proto__]').value") == "[7.0, 2.0]"


def test_lists_of_objects(opened: Open) -> None:
    page = opened(programs.total)
    page.type("items.price", "[1.5, 2]")
    page.type("items.count", "[3, 4]")
    page.run()
    assert page.results()["result"] == [12.5, [{"price": 1.5, "count": 3}, {"price": 2.0, "count": 4}]]
    assert page.view("result[1]") == "table"
    page.type("items.count", "[3]")
    page.run()
    assert page.text("#error") == "items: its columns have 2 and 1 elements"


TEXT = "héllo wörld\n</script><img src=x onerror=document.title=1> 'x' 😀"


def test_texts(opened: Open) -> None:
    page = opened(programs.words)
    page.type("text", TEXT)
    page.run()
    expected = programs.words.python(np.frombuffer(TEXT.encode(), np.uint8))
    assert page.results()["result"] == {name: int(value) for name, value in expected.items()}
    page = opened(programs.backwards)
    page.type("text", TEXT)
    page.run()
    assert page.view("result['message']") == "text"
    assert TEXT[::-1].replace("\n", " ") in page.text("figure").replace("\n", " ")


def test_none_and_numbers(opened: Open) -> None:
    page = opened(programs.root)
    page.run()
    assert page.results() == {"result": 2.0}
    assert page.value("document.querySelector('[data-input=x]').inputMode") == ""  # keypads have no minus
    page.type("x", "-1")
    page.run()
    assert page.results() == {"result": None} and page.result("result") == "None"


# Errors, state, and what is not Python's


def test_errors_are_told_as_python_tells_them(opened: Open) -> None:
    page = opened(programs.bmi)
    page.run()
    assert page.text("#error") == "kg: nothing is no number"
    page.type("kg", "80")
    page.type("m", "-0.005")
    page.run()
    with pytest.raises(ValueError) as error:
        programs.bmi.python(80.0, -0.005)
    where, line = page.text("#error").splitlines()
    assert line == f"ValueError: {error.value}" and where.startswith("programs.py:")
    page.type("m", "1.8")
    page.run()
    assert page.text("#error") == "" and tuple(page.results()["result"]) == programs.bmi.python(80.0, 1.8)


def test_a_network_that_fails(opened: Open, tmp_path: Path) -> None:
    text = '<ir_version: 8, opset_import: ["":17]> r (float[n] x, int64[k] s) => (float[m] y) { y = Reshape (x, s) }'
    network = loaded(tmp_path, text)

    @graph_program
    def shaped(x: Float32[Tensor, "n"], s: Int64[Tensor, "1"]) -> Any:
        return network(x, s)

    page = opened(shaped, (np.ones(4, np.float32), np.array([4])))
    page.type("s", "[3]")
    page.run()
    found = page.text("#error")
    assert found.startswith("the model itself failed: ") and "requested shape:{3}" in found and "ERROR" not in found
    page.type("s", "[4]")
    page.run()
    assert page.results()["result"] == [1.0] * 4


@pytest.mark.parametrize("n", [4, 1234567, -1, 0])
def test_kinds_of_errors(n: int, opened: Open) -> None:
    page = opened(programs.lookup)
    page.type("n", str(n))
    page.run()
    with pytest.raises((KeyError, RuntimeError, TypeError)) as error:
        programs.lookup.python(n)
    text = f": {error.value}" if str(error.value) else ""
    assert page.text("#error").splitlines()[-1] == type(error.value).__name__ + text
    if n == 0:
        assert page.text("#error").startswith("ValueError: zero\n\nThe above exception was the direct cause of")


def test_state_is_carried(opened: Open) -> None:
    counter = programs.Counter()
    page = opened(counter.add)
    for x in (1.0, 2.5, -3.0):
        page.type("x", str(x))
        page.run()
        assert page.result("result") == str(programs.Counter.add.python(counter, x))
    page.type("where", "7")
    page.run()
    assert "IndexError: index 7 is out of bounds for axis 0 with size 3" in page.text("#error")
    assert page.text("[data-state='self.count']") == "3"  # as the model keeps it
    page.click("#reset")
    assert page.text("[data-state='self.count']") == "0"


def test_state_that_grows_and_takes_what_came_in(opened: Open) -> None:
    previous = programs.Previous()
    page = opened(previous.step)
    for x in ([1.0, 2.0], [3.0, 1.0], [0.0, 0.0], [-1.0, -1.0]):
        page.type("x", str(x))
        page.run()
        moved, falls, length = programs.Previous.step.python(previous, np.array(x))
        assert page.results()["result"] == [moved.tolist(), falls, length]
    assert page.text("[data-state='self.history']") == str(previous.history)


def test_arguments_that_are_written(opened: Open) -> None:
    page = opened(programs.scaled)
    page.type("x", "[1, 2]")
    page.run()
    page.run()
    assert page.results() == {"result": [4, 8], "x afterwards": [4, 8]}
    assert page.value("document.querySelector('[data-input=x]').value") == "[4.0, 8.0]"


def test_a_run_that_does_not_end_is_stopped(opened: Open) -> None:
    page = opened(programs.forever)
    page.click("#run")
    page.value("new Promise((done) => setTimeout(done, 300))")
    assert page.text("#status") == "Running …"
    page.click("#stop")
    page.wait("document.querySelector('#status').innerText === 'Not run to the end'")
    page.type("n", "0")
    page.run()
    assert page.result("result") == "0"


def test_runs_when_something_changes(opened: Open) -> None:
    page = opened(programs.root)
    page.click("#live")
    page.wait("document.querySelector('dd[data-result=result]')?.innerText === '2.0'")
    page.type("x", "9")
    page.wait("document.querySelector('dd[data-result=result]')?.innerText === '3.0'")


def test_nothing_is_markup_and_nothing_is_asked_for(opened: Open, tmp_path: Path) -> None:
    page = opened(programs.breaking)
    assert page.text("#about") == "</script><script>document.title = 'broken'</script> <!-- {{script}} &lt;"
    assert "x onerror" in page.text("#inputs")
    page.run()
    assert "<img src=x" in page.text("#results")
    page.type("naïve", "6")
    page.run()
    assert page.text("#error").endswith("ValueError: </script><img src=x onerror=document.title='broken'> 6.0")
    assert page.value("document.title") == "breaking" and page.complaints() == []
    assert given(tmp_path / "breaking.html")["name"] == "breaking"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_small_screens_light_and_dark(scheme: str, opened: Open, grey: Path, tmp_path: Path) -> None:
    first = opened(programs.threshold)
    page = first.browser.open(tmp_path / "threshold.html", first.downloads, scheme, width=360).ready()
    page.choose_for("photo", grey)
    page.run()
    assert page.value("document.documentElement.scrollWidth") <= 360
    corner = base64.b64decode(page.screenshot({"x": 0, "y": 0, "width": 8, "height": 8}))
    (tmp_path / "corner.png").write_bytes(corner)
    level = np.asarray(Image.open(tmp_path / "corner.png").convert("L")).mean()
    assert (float(level) > 200) is (scheme == "light")
    fields = "[...document.querySelectorAll('input, textarea')]"
    assert page.value(f"{fields}.every((one) => one.labels?.length || one.ariaLabel)")
